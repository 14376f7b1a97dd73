/** Where in a scenario file something stands; lines and columns count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
  /** How many characters are wrong; at least 1. */
  readonly length: number;
  /** The whole line, for the message. */
  readonly lineText: string;
}

/** One mistake in a scenario file. */
export class ScenarioError extends Error {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly suggestion: string | undefined;
  readonly place: Place;

  constructor(file: string, place: Place, message: string, suggestion?: string) {
    super(message);
    this.name = 'ScenarioError';
    this.file = file;
    this.line = place.line;
    this.column = place.column;
    this.suggestion = suggestion;
    this.place = place;
  }
}

/** Thrown for a scenario with mistakes. The message shows them with their lines and suggestions, at most the first five. */
export class InvalidScenario extends Error {
  /** Every mistake, in the order of the file. */
  readonly mistakes: readonly ScenarioError[];

  constructor(mistakes: readonly ScenarioError[]) {
    super(renderMistakes(mistakes));
    this.name = 'InvalidScenario';
    this.mistakes = mistakes;
  }
}

/** More mistakes would not fit on a screen. The rest are counted. */
const MISTAKES_SHOWN = 5;
const LINE_WIDTH = 110;

/** The mistakes as a message of at most one screen. */
function renderMistakes(mistakes: readonly ScenarioError[]): string {
  const shown = mistakes.slice(0, MISTAKES_SHOWN).map(showMistake);
  const hidden = mistakes.length - shown.length;
  if (hidden > 0)
    shown.push(
      `and ${hidden} more ${hidden === 1 ? 'mistake' : 'mistakes'} in this file: mend these to see ${hidden === 1 ? 'it' : 'them'}`,
    );
  return shown.join('\n\n');
}

/** One mistake: place and message, the line with a caret under what is wrong, the suggestion. */
export function showMistake({ file, place, message, suggestion }: ScenarioError): string {
  const lines = [`${file}:${place.line}:${place.column}: ${message}`];
  if (place.lineText.trim() !== '') {
    // A long line is cut so that the wrong part stays visible.
    const from = Math.max(0, Math.min(place.column - 1 - LINE_WIDTH / 2, place.lineText.length - LINE_WIDTH));
    const text = place.lineText.slice(Math.floor(from), Math.floor(from) + LINE_WIDTH);
    const before = place.column - 1 - Math.floor(from);
    const carets = '^'.repeat(Math.max(1, Math.min(place.length, text.length - before)));
    const margin = String(place.line).padStart(5);
    lines.push(`${margin} | ${text}`, `      | ${' '.repeat(before)}${carets}`);
  }
  if (suggestion !== undefined) lines.push(`      ${suggestion}`);
  return lines.join('\n');
}
