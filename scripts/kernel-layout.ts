/**
 * What TypeScript knows of the kernels, as source: signatures of exports, places of the fields of
 * structures in memory, and constants. All of it is read from the compiler's own view of
 * workers/kernels, so nothing has to be typed twice.
 */
/** The parts of AssemblyScript's program that are read. */
interface Program {
  readonly filesByName: ReadonlyMap<string, ProgramFile>;
}
interface ProgramFile {
  readonly exports: ReadonlyMap<string, Element> | null;
}
interface Element {
  readonly name: string;
  readonly decoratorFlags: number;
  /** Instances of a function or a class: the only one has the name ''. */
  readonly instances?: ReadonlyMap<string, Instance> | null;
  readonly declaration: {
    readonly signature?: { readonly parameters: readonly { readonly name: { text: string } }[] };
  };
  /** The type of a global. */
  readonly type?: unknown;
}
interface Instance {
  readonly signature?: {
    readonly parameterTypes: readonly unknown[];
    readonly returnType: unknown;
  };
  readonly members?: ReadonlyMap<string, { readonly instance?: Field | null }> | null;
  readonly nextMemoryOffset: number;
}
interface Field {
  readonly memoryOffset: number;
  readonly type: unknown;
}

/** `DecoratorFlags.Unmanaged` of AssemblyScript. */
const UNMANAGED = 1 << 4;
const WIDTH_MAX = 100;

/** What was compiled, as far as TypeScript shares it. */
export interface CompiledKernels {
  readonly functions: readonly Signature[];
  readonly structures: readonly Structure[];
  readonly constants: readonly Constant[];
}

interface Signature {
  readonly name: string;
  readonly parameters: readonly { readonly name: string; readonly type: string }[];
  readonly result: string;
}

interface Structure {
  /** The folder of its kernels. */
  readonly room: string;
  readonly name: string;
  readonly bytes: number;
  readonly fields: readonly { readonly name: string; readonly at: number; readonly type: string }[];
}

interface Constant {
  readonly name: string;
  readonly isUnsigned: boolean;
}

/** Has the compiler tell what it compiled, when it is done. */
export function kernelReader(tell: (kernels: CompiledKernels) => void): new () => object {
  return class {
    /** Set by the compiler. */
    declare readonly program: Program;

    afterCompile(): void {
      const { filesByName } = this.program;
      const files = [...filesByName].filter(([name]) => !name.startsWith('~lib'));
      const exported = [...(filesByName.get('index')?.exports ?? [])];
      tell({
        functions: exported.flatMap(([name, element]) => signatureOf(name, element)),
        structures: files
          .flatMap(([path, { exports }]) => {
            const [room = ''] = path.split('/');
            return [...(exports?.values() ?? [])].flatMap((element) => structureOf(room, element));
          })
          .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
        constants: exported
          .filter(([, { instances }]) => instances === undefined)
          .map(([name, { type }]) => ({ name, isUnsigned: String(type).startsWith('u') })),
      });
    }
  };
}

function signatureOf(name: string, element: Element): Signature[] {
  const signature = element.instances?.get('')?.signature;
  if (signature === undefined) return [];
  const names = element.declaration.signature?.parameters.map((each) => each.name.text) ?? [];
  const types = signature.parameterTypes.map((type) => scriptType(String(type)));
  const parameters = types.map((type, i) => ({ name: names[i] ?? `p${i}`, type }));
  return [{ name, parameters, result: scriptType(String(signature.returnType)) }];
}

/** What JavaScript gets and gives: structures go by address. */
function scriptType(type: string): string {
  if (type === 'void') return 'void';
  return type === 'u64' || type === 'i64' ? 'bigint' : 'number';
}

function structureOf(room: string, { name, decoratorFlags, instances }: Element): Structure[] {
  const instance = instances?.get('');
  if ((decoratorFlags & UNMANAGED) === 0 || !instance?.members) return [];
  const fields = [...instance.members].flatMap(([field, { instance: found }]) => {
    const type = String(found?.type);
    if (!found || field.startsWith('unused')) return [];
    return [{ name: field, at: found.memoryOffset, type: /^[uif]\d+$/.test(type) ? type : 'u32' }];
  });
  return [{ room, name, bytes: instance.nextMemoryOffset, fields }];
}

/** The generated files of src/columnar/faces/layout: name and text of each. */
export function layoutSources(
  { functions, structures, constants }: CompiledKernels,
  values: ReadonlyMap<string, number>,
): [name: string, text: string][] {
  const rooms = [...new Set(structures.map(({ room }) => room))].toSorted();
  return [
    ['exports.ts', exportsSource(functions)],
    ['constants.ts', constantsSource(constants, values)],
    ...rooms.map((room): [string, string] => [
      `${room}.ts`,
      structuresSource(
        room,
        structures.filter((each) => each.room === room),
      ),
    ]),
  ];
}

function head(what: string, folder = ''): string {
  const path = `workers/kernels${folder}`;
  return `/**\n * ${what}\n * Generated from ${path} by \`node --import tsx scripts/write-layout.ts\`.\n */\n\n`;
}

function exportsSource(functions: CompiledKernels['functions']): string {
  const lines = functions.map(({ name, parameters, result }) => {
    const each = parameters.map((parameter) => `${parameter.name}: ${parameter.type}`);
    const line = `  ${name}(${each.join(', ')}): ${result};`;
    if (line.length <= WIDTH_MAX) return `${line}\n`;
    return `  ${name}(\n${each.map((text) => `    ${text},\n`).join('')}  ): ${result};\n`;
  });
  return `${head('The kernels as TypeScript calls them.')}/** Exports of kernels.wasm. Addresses are unsigned; wasm gives them back signed: use \`>>> 0\`. */
export interface KernelExports {
${lines.join('')}}
`;
}

function constantsSource(
  constants: CompiledKernels['constants'],
  values: ReadonlyMap<string, number>,
): string {
  const lines = constants.map(({ name, isUnsigned }) => {
    const value = values.get(name);
    if (value === undefined) throw new Error(`the kernels export no ${name}`);
    return `export const ${name} = ${isUnsigned ? value >>> 0 : value};\n`;
  });
  return `${head('Constants that TypeScript and kernels share; each is told beside its kernel.')}${lines.join('')}`;
}

/** Bytes of structures, and where their fields begin. */
function structuresSource(room: string, structures: readonly Structure[]): string {
  const what = 'Structures in memory: bytes of each, and of its fields where they begin, by type.';
  return `${head(what, `/${room}`)}${structures.map(structureSource).join('\n')}`;
}

function structureSource({ name, bytes, fields }: Structure): string {
  const groups = [...new Set(fields.map(({ type }) => type))].map((type) => {
    const own = fields.filter((field) => field.type === type);
    return `${type}: ${objectSource(
      own.map((field) => `${field.name}: ${field.at}`),
      2,
      type.length + 2,
    )}`;
  });
  const constant = name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
  const head = `export const ${constant} = `;
  const body = objectSource(
    [`bytes: ${bytes}`, ...groups],
    0,
    head.length + ' as const;'.length - 1,
  );
  return `${head}${body} as const;\n`;
}

/** An object as prettier lays it out: on one line where that fits. */
function objectSource(members: readonly string[], indent: number, beside: number): string {
  const line = `{ ${members.join(', ')} }`;
  if (!line.includes('\n') && indent + beside + line.length + 1 <= WIDTH_MAX) return line;
  const spaces = ' '.repeat(indent);
  return `{\n${members.map((member) => `${spaces}  ${member},\n`).join('')}${spaces}}`;
}
