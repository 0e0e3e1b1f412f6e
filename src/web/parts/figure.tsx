/** One large number with what it is. */
import type { ComponentChildren, VNode } from '../preact.ts';

export function Figure({
  says,
  title,
  href,
  children,
}: {
  says: string;
  title?: string;
  /** Where it leads. */
  href?: string;
  children: ComponentChildren;
}): VNode {
  const inner = (
    <>
      <span class="says">{says}</span>
      <span class="big">{children}</span>
    </>
  );
  if (href !== undefined) {
    return (
      <a class="figure" href={href} title={title}>
        {inner}
      </a>
    );
  }
  return (
    <div class="figure" title={title}>
      {inner}
    </div>
  );
}
