import { scriptBeside } from './scriptBeside.ts';

/** What the build leaves in the page: see `vite/parts.ts`. */
interface Parts {
  /** Of the build: all scripts are of one. */
  readonly version: string;
  /** Scripts beside the page that bring an entry, which may be there already, and all parts that it is made of, itself last. */
  readonly entries: Readonly<Record<string, { readonly files: readonly string[]; readonly parts: readonly string[] }>>;
  /** What was brought so far. */
  readonly bodies: Readonly<Record<string, PartBody>>;
  /** Makes parts, each once, and hands over what one exports. */
  readonly need: (part: string) => unknown;
  /** Makes a `need` of bodies. It needs nothing around it, so its text can go to a worker. */
  readonly needOf: (bodies: Parts['bodies']) => Parts['need'];
}

type PartBody = (need: Parts['need'], exports: object) => void;

declare global {
  var replsimParts: Parts;
}

/**
 * What a file of the page exports that is loaded when somebody needs it: an entry of the build, see `vite.config.ts`.
 * @throws Error if it is not beside the page, with words for whoever looks at it; the next call tries again
 */
export async function later<Exports>(entry: string): Promise<Exports> {
  const { parts } = await brought(entry);
  return replsimParts.need(parts.at(-1)!) as Exports;
}

/** An entry as the text of a program, for a worker: the page has it and does not run it. @throws Error see `later` */
export async function programOf(entry: string): Promise<string> {
  const { parts } = await brought(entry);
  const { bodies, needOf } = replsimParts;
  const written = parts.map((part) => `${JSON.stringify(part)}:${bodies[part]}`);
  return `(${needOf})({${written.join(',')}})(${JSON.stringify(parts.at(-1))})`;
}

async function brought(name: string): Promise<Parts['entries'][string]> {
  const entry = replsimParts.entries[name]!;
  await Promise.all(entry.files.map(scriptBeside));
  return entry;
}
