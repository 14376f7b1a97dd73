import { type Expression, parseExpressionAt } from 'acorn';
import { IncidentError } from '../incidentError.ts';
import { flowText, NoLiteral } from './flowText.ts';

/** A document that somebody printed in a shell, or keeps as JSON, where it stands in its file. */
export interface Printed {
  /** The line of its brace. */
  readonly line: number;
  /** The same as YAML, with all that stands before it left blank. */
  readonly flow: string;
}

/** A brace that may begin a document: at the start of a line, behind `cfg =`, or in a list of one. */
const BEGINNING = /^[ \t]*(?:(?:var|let|const)\s+)?(?:[\w.$]+\s*=\s*)?(?:\[\s*)?(?=\{)/gm;

/**
 * The documents in a text: what mongosh or the old shell prints, with prompts and whatever else was copied around them, or JSON.
 * @throws IncidentError for one that is broken off or is code
 */
export function printedIn(text: string, file: string): readonly Printed[] {
  const found: Printed[] = [];
  let end = 0;
  for (const { index, 0: before } of text.matchAll(BEGINNING)) {
    const start = index + before.length;
    if (start < end) continue;
    const parsed = parsedAt(text, start, file);
    // A comma behind it leads on to the next of a list.
    const node = parsed.type === 'SequenceExpression' ? parsed.expressions[0] : parsed;
    if (node?.type !== 'ObjectExpression') throw wrong(text, file, start, 'this is code, and no document');
    end = node.end;
    try {
      found.push({ line: lineAt(text, start), flow: flowText(text, node) });
    } catch (error) {
      if (!(error instanceof NoLiteral)) throw error;
      throw wrong(text, file, error.offset, `${error.message}; leave it out`);
    }
  }
  return found;
}

function parsedAt(text: string, start: number, file: string): Expression {
  try {
    return parseExpressionAt(text, start, { ecmaVersion: 'latest' });
  } catch (error) {
    if (!(error instanceof SyntaxError)) {
      // It calls itself level by level.
      if (error instanceof RangeError) throw wrong(text, file, start, 'this document is nested too deep');
      throw error;
    }
    const { pos = start } = error as SyntaxError & { readonly pos?: number };
    const isCutOff = text.slice(pos).trim() === '';
    const line = lineAt(text, start);
    if (LEFT_OUT.test(text.slice(start, pos)) || text.startsWith('…', pos))
      throw wrong(text, file, pos, '"..." stands for something that was left out; put it back, or delete the dots');
    throw wrong(
      text,
      file,
      pos,
      isCutOff
        ? `the document that begins in line ${line} is cut off here; copy it whole`
        : `the document that begins in line ${line} cannot be read from here on: ${error.message.replace(/ \(\d+:\d+\)$/, '')}`,
    );
  }
}

/** What people write in place of lines that they do not show; JavaScript expects something to spread. */
const LEFT_OUT = /\.\.\.\s*$/;

function wrong(text: string, file: string, offset: number, message: string): IncidentError {
  return new IncidentError(file, lineAt(text, offset), message);
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}
