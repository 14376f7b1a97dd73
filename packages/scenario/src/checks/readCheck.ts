import type { Path } from '../file/source.ts';
import { flowText } from '../reading/flowText.ts';
import type { Reader } from '../reading/reader.ts';
import type { Check } from '../scenario.ts';
import type { CheckInput } from './row.ts';
import { CHECKS } from './table.ts';

const QUESTIONS = CHECKS.filter(([, { beside }]) => beside !== undefined);
/** Keys that mean nothing by themselves: they belong to a question. */
const DEPENDENT = new Set(QUESTIONS.flatMap(([, { beside = {} }]) => Object.keys(beside)));

/** Reads a check; `eventually` and `always` have further keys in the same map. */
export function readCheck(reader: Reader, path: Path, input: CheckInput): Check {
  const question = questionOf(reader, path, input);
  const asked = CHECKS.filter(([key, { beside }]) =>
    beside === undefined ? input[key] !== undefined : key === question,
  );
  const parts = asked.map(([key, row]) =>
    row.read(reader, path, input[key], input, (path, inner) => readCheck(reader, path, inner)),
  );
  if (parts.length === 0) reader.source.mistakeAtPath(path, 'this check is empty', inWords(CHECKS.map(([key]) => key)));
  const [part, second] = parts;
  const asks = second === undefined ? part?.asks : undefined;
  return { text: flowText(reader.source, reader.source.nodeAt(path)), parts, ...(asks && { asks }) };
}

/** The one key that says what is asked of somebody; keys that do not belong to it are mistakes. */
function questionOf(reader: Reader, path: Path, input: CheckInput): string | undefined {
  const { source } = reader;
  const [asked, second] = QUESTIONS.filter(([key, row]) => key in input && row.asks?.(input[key]) !== false);
  if (asked && second)
    source.mistakeAtKey(
      path,
      second[0],
      `a check asks one thing of a member; this one asks "${asked[0]}" already`,
      `put "${second[0]}" in a check of its own`,
    );
  const [key, { beside = {} } = {}] = asked ?? [];
  for (const each of DEPENDENT)
    if (each in input && each !== key && !(each in beside))
      source.mistakeAtKey(
        path,
        each,
        key === undefined ? `"${each}" needs to know what to ask` : `"${each}" does not go with "${key}"`,
        key === undefined
          ? `it goes with ${inWords(questionsFor(each))}`
          : `it can be combined with ${Object.keys(beside).join(', ')}`,
      );
  return key;
}

function questionsFor(key: string): string[] {
  return QUESTIONS.filter(([, { beside = {} }]) => key in beside).map(([question]) => question);
}

function inWords(keys: readonly string[]): string {
  const last = keys.at(-1) ?? '';
  return keys.length > 1 ? `${keys.slice(0, -1).join(', ')} or ${last}` : last;
}
