/** A place in the prose at which a human should look. */
export interface Finding {
  /** `file:line`. */
  readonly at: string;
  /** Which of {@link RULES}. */
  readonly rule: string;
  /** The sentence, shortened. */
  readonly text: string;
}

/** What reads as foreign, though it may be grammatical: the name of a rule, and what it finds in a sentence. */
export const RULES: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['begins with "Whoever"', /^Whoever\b/],
  ['begins with "Of which"', /^(Of|By|From|In) which\b/],
  [
    'begins with "What … is"',
    /^What (?!(is|are|does|do|did|happens|if|can|should|would|about)\b)[^?:;]{1,80}?\b(is|are|was|were|has|have)\b[^?]*$/,
  ],
  ['"is told"', /\b(is|are|was|were|be) told\b(?! to\b)/],
  ['"stands in"', /\b(stands?|stood) in\b(?! for (?!$))/],
  ['"by name"', /\b(refused|rejected|known|named|told) by (its |their )?name\b/],
  ['"that is none"', /\b(that|which|who) (is|are) none\b/],
  ['"has it that"', /\bhas it that\b/],
  ['"takes no notice"', /\btakes? no notice\b/],
  ['"goes by"', /\b(goes|go) by (?!\d)/],
  ['"is at home"', /\b(is|are) at home\b/],
  ['"whoever"', /\bwhoever\b/],
  ['begins with "Of"', /^Of\b[^,]*[.:]?$/],
  ['"so many" for "this many"', /\b(so (many|much)|for so long)\b(?! (that|as)\b)/],
  [
    '"is no" for "is not a"',
    /(?<!\b[Tt]here )\b(is|are) no (?!longer|more|doubt|better|worse|later|earlier|different)[a-z]+\b/,
  ],
  ['"is meant"', /\b(is|are) meant\b(?! (to|for)\b)/],
  ['"befalls"', /\bbefalls?\b/],
];
/** Words beyond which a sentence is read twice. */
export const LONGEST_SENTENCE_WORDS = 35;

/** The sentences of a paragraph. A full stop within code, a version or an abbreviation ends none. */
function sentencesOf(paragraph: string): string[] {
  const plain = paragraph
    .replace(/`[^`]*`/g, (code) => code.replace(/[.?!:;\s]/g, '_'))
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\b(e\.g|i\.e|cf|etc|vs)\./g, '$1');
  return plain
    .split(/(?<=[.?!:;])["”)*]*\s+(?=["“(*`]*[A-Z`])/)
    .map((sentence) =>
      sentence
        .replace(/\s+/g, ' ')
        .replace(/^[*_>\s]+/, '')
        .trim(),
    )
    .filter((sentence) => sentence !== '');
}

/** What a human should look at in some sentences that stand together. @param at `file:line` of the first */
export function lintParagraph(paragraph: string, at: string): Finding[] {
  return sentencesOf(paragraph).flatMap((sentence) => {
    const text = sentence.length > 90 ? `${sentence.slice(0, 87)}…` : sentence;
    const rules = RULES.filter(([, pattern]) => pattern.test(sentence)).map(([name]) => name);
    const words = sentence.split(' ').filter((word) => /\w/.test(word)).length;
    if (words > LONGEST_SENTENCE_WORDS) rules.push(`more than ${LONGEST_SENTENCE_WORDS} words`);
    return rules.map((rule) => ({ at, rule, text }));
  });
}

/** Paragraphs, list items, headings and cells of a page, each with the line at which it begins; code and comments are left out. */
export function paragraphsOf(page: string): { readonly line: number; readonly text: string }[] {
  const found: { line: number; text: string }[] = [];
  let open: { line: number; text: string } | undefined;
  let fence = false;
  for (const [index, line] of page.split('\n').entries()) {
    if (/^\s*```/.test(line)) fence = !fence;
    const skipped = fence || /^\s*(```|<!--|-->|<)/.test(line) || line.trim() === '';
    const begins = /^\s*([-*]|\d+\.|#+)\s/.test(line) || line.startsWith('|');
    if (skipped || begins) open = undefined;
    if (skipped || /^\|[-: |]+\|$/.test(line)) continue;
    if (line.startsWith('|')) {
      for (const cell of line.slice(1).split(/(?<!\\)\|/))
        if (cell.trim() !== '') found.push({ line: index + 1, text: cell.trim() });
    } else if (open === undefined) {
      open = { line: index + 1, text: line.trim().replace(/^([-*]|\d+\.|#+)\s+/, '') };
      found.push(open);
    } else open.text += ` ${line.trim()}`;
  }
  return found;
}

/** The comments of a source, each with the line at which it begins. Lines of `//` that follow each other are one comment. */
export function commentsOf(source: string): { readonly line: number; readonly text: string }[] {
  const found: { line: number; text: string }[] = [];
  let open: { line: number; text: string } | undefined;
  for (const [index, line] of source.split('\n').entries()) {
    const [, mark = '', text = ''] = /^\s*(\/\*\*?|\*(?!\/)|\/\/)\s*(.*?)\s*(?:\*\/)?$/.exec(line) ?? [];
    const ends =
      mark === '' || /^([-@]|\d+\.\s)/.test(text) || text === '' || (mark.startsWith('/*') && open !== undefined);
    if (ends) open = undefined;
    if (mark === '' || text === '') continue;
    if (open === undefined) {
      open = { line: index + 1, text: text.replace(/^(- |@\w+ )/, '') };
      found.push(open);
    } else open.text += ` ${text}`;
    if (line.trimEnd().endsWith('*/')) open = undefined;
  }
  return found;
}

/** The texts of a source that somebody may read: literals of four words and more. */
export function messagesOf(source: string): { readonly line: number; readonly text: string }[] {
  const found: { line: number; text: string }[] = [];
  for (const [index, line] of source.split('\n').entries()) {
    if (/^\s*(\*|\/\/|\/\*|import\b)/.test(line)) continue;
    for (const match of line.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)) {
      const text = (match[1] ?? match[2] ?? match[3] ?? '').replace(/\$\{[^}]*\}/g, 'X').replace(/\\(['"`])/g, '$1');
      if (text.trim().split(/\s+/).length >= 4) found.push({ line: index + 1, text });
    }
  }
  return found;
}
