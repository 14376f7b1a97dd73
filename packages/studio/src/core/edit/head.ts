import { isMap, parseDocument } from 'yaml';

/** What a scenario says of itself; as far as its text can be read. */
export interface Head {
  readonly name: string | undefined;
  readonly description: string | undefined;
}

/** Keys and what is indented below them: to read the steps as well takes a hundred times as long, and lists have many texts. */
const SAID = /^(?:name|description):.*(?:\n(?:[ \t].*)?$)*/gm;
const CHALLENGE = /^challenge:.*(?:\n(?:[ \t].*)?$)*/m;
const ZONES = /^zones:.*(?:\n(?:[ \t].*)?$)*/m;

export function headOf(text: string): Head {
  const { contents } = parseDocument(text.match(SAID)?.join('\n') ?? '');
  const said = (key: string) => {
    const value: unknown = isMap(contents) ? contents.get(key) : undefined;
    return typeof value === 'string' ? value.trim() : undefined;
  };
  return { name: said('name'), description: said('description') };
}

/** In which zone each member stands, of those that stand in one: no trace says so. As far as the text can be read. */
export function zonesOf(text: string): ReadonlyMap<string, string> {
  const { contents } = parseDocument(ZONES.exec(text)?.[0] ?? '');
  const zones: unknown = isMap(contents) ? contents.toJSON().zones : undefined;
  const lists = Object.entries(typeof zones === 'object' && zones !== null ? zones : {});
  return new Map(
    lists.flatMap(([zone, members]) => (Array.isArray(members) ? members.map((each) => [String(each), zone]) : [])),
  );
}

/** What a scenario asks of its reader; a hint may have something to ask about: a member, or `primary`. */
export interface Task {
  readonly task: string;
  readonly allowed: readonly string[];
  readonly hints: readonly { readonly text: string; readonly why?: string }[];
}

/** The task that a text sets, if it sets one: as far as the text can be read, whatever mistakes its steps have. */
export function taskOf(text: string): Task | undefined {
  const { contents } = parseDocument(CHALLENGE.exec(text)?.[0] ?? '');
  const challenge: unknown = isMap(contents) ? contents.toJSON().challenge : undefined;
  if (!isRecord(challenge) || typeof challenge.task !== 'string') return undefined;
  const { task, allowed, hints } = challenge;
  return {
    task: task.trim(),
    allowed: listOf(allowed).map(String),
    hints: listOf(hints).map((hint) =>
      isRecord(hint) ? { text: String(hint.hint), why: String(hint.why) } : { text: String(hint) },
    ),
  };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
