import { firstSentence } from '../core/edit/firstSentence.ts';

/** A lesson to choose. */
export interface Listed {
  /** Of its file, without folder and ending: `01-what-a-term-is`. */
  readonly id: string;
  readonly title: string;
  /** One line about it. */
  readonly about: string;
  readonly text: string;
}

// They are a part of the page, so that the first one waits for nothing.
const texts: Readonly<Record<string, string>> = import.meta.glob('../../../../scenarios/lessons/*.yaml', {
  query: '?raw',
  import: 'default',
  eager: true,
});

let read: readonly Listed[] | undefined;

/** All lessons in the order of their names, which begin with numbers. They are read when somebody wants them: a worker never does. */
export function lessons(): readonly Listed[] {
  read ??= Object.entries(texts)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, text]) => {
      const { name, description } = lessonHead(text);
      const id = path.replace(/^.*\//, '').replace(/\.yaml$/, '');
      return { id, title: name, about: firstSentence(description), text };
    });
  return read;
}

/** The lesson that a text is, unless somebody has changed it. */
export function lessonOfText(text: string): Listed | undefined {
  return lessons().find((lesson) => lesson.text === text);
}

/** A name on its line, then a folded description: as lessons begin, so that the page they are chosen on reads them without a parser of YAML. */
const HEAD = /^name: (.*)\ndescription: >\n((?: {2}.*\n)+)/m;

function lessonHead(text: string): { readonly name: string; readonly description: string } {
  const [, name, folded] = HEAD.exec(text) ?? [];
  if (name === undefined || folded === undefined)
    throw new Error(
      `a lesson begins with “name: …” and “description: >”, each on its line; this one does not: ${text}`,
    );
  return { name, description: folded.trim().replace(/\s+/g, ' ') };
}
