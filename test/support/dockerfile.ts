/** A Dockerfile of few and simple steps: what each stage copies, runs and sets. */

export interface Stage {
  readonly base: string;
  /** '' for the last, which is the image. */
  readonly name: string;
  readonly steps: readonly Step[];
}

export type Step =
  | {
      readonly does: 'copy';
      readonly from: string;
      readonly owner: string;
      readonly paths: readonly string[];
      readonly to: string;
    }
  | { readonly does: 'run'; readonly words: readonly string[] }
  | { readonly does: 'set'; readonly name: string; readonly value: string }
  /** WORKDIR, USER, VOLUME and the like, by their only text. */
  | { readonly does: 'say'; readonly what: string; readonly text: string };

/** What a shell would make something else of. */
const SHELL = /[|&;<>$`'"\\*?(){}]/;
const SAYS: readonly string[] = ['WORKDIR', 'USER', 'VOLUME', 'EXPOSE', 'ENTRYPOINT', 'CMD'];

/** @throws for a step that is not simple */
export function stagesOf(text: string): Stage[] {
  const stages: { base: string; name: string; steps: Step[] }[] = [];
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [what = '', ...words] = line.split(' ');
    if (what === 'FROM') {
      const [base = '', , name = ''] = words;
      stages.push({ base, name, steps: [] });
    } else stages.at(-1)?.steps.push(stepOf(what, words, line));
  }
  return stages;
}

function stepOf(what: string, words: readonly string[], line: string): Step {
  if (SAYS.includes(what)) return { does: 'say', what, text: words.join(' ') };
  if (SHELL.test(line)) throw new Error(`not simple: ${line}`);
  if (what === 'RUN') return { does: 'run', words };
  if (what === 'ENV' || what === 'ARG') {
    const [name = '', value = ''] = words.join(' ').split('=');
    return { does: 'set', name, value };
  }
  if (what !== 'COPY') throw new Error(`unknown: ${line}`);
  const option = (name: string): string =>
    words.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) ?? '';
  const paths = words.filter((word) => !word.startsWith('--'));
  const to = paths.at(-1) ?? '';
  return {
    does: 'copy',
    from: option('from'),
    owner: option('chown'),
    paths: paths.slice(0, -1),
    to,
  };
}
