import { isMap, parseDocument } from 'yaml';

/** What a scenario says of itself; as far as its text can be read. */
export interface Head {
  readonly name: string | undefined;
  readonly description: string | undefined;
}

/** Its two keys and what is indented below them: to read the steps as well takes a hundred times as long, and lists have many texts. */
const SAID = /^(?:name|description):.*(?:\n(?:[ \t].*)?$)*/gm;

export function headOf(text: string): Head {
  const { contents } = parseDocument(text.match(SAID)?.join('\n') ?? '');
  const said = (key: string) => {
    const value: unknown = isMap(contents) ? contents.get(key) : undefined;
    return typeof value === 'string' ? value.trim() : undefined;
  };
  return { name: said('name'), description: said('description') };
}

/** The first sentence, which is all that a list has room for. */
export function firstSentence(text: string): string {
  return /^.*?[.?!](?=\s|$)/s.exec(text)?.[0] ?? text;
}
