/** The width of an element, as it is now: what is drawn in it is laid out again when that changes. */
import { useLayoutEffect, useRef, useState } from '../preact.ts';

export function useWidth(): [box: { current: HTMLElement | null }, width: number] {
  const box = useRef<HTMLElement>(null);
  const [width, measure] = useState(0);
  useLayoutEffect(() => {
    if (box.current === null) return;
    measure(box.current.clientWidth);
    const watch = new ResizeObserver(([entry]) => measure(entry?.contentRect.width ?? 0));
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  return [box, width];
}
