import { didYouMean } from '@replsim/kernel';
import { encodeDocument } from '@replsim/protocol';
import type { Filling } from '../file/placeholder.ts';
import type { TtlPart } from '../scenario.ts';
import { explainMismatch, matches, showTemplate } from '../stage/answers.ts';
import type { KnownIndex, Lateness } from './lateness.ts';
import { latenessText } from './latenessText.ts';

type Refusal = { readonly asked: string; readonly got: string } | undefined;

/** Holds what was measured so far against a check. */
export function ttlRefusal(part: TtlPart, lateness: Lateness, filling: Filling): Refusal {
  const found = lateness.indexes.filter(({ index, ns }) => index === part.index && ns === (part.ns ?? ns));
  const [known, another] = found;
  const name = `${part.index}${part.ns === undefined ? '' : ` on ${part.ns}`}`;
  if (!known) return { asked: `a TTL index called ${name}`, got: whatThereIs(part.index, lateness.indexes) };
  if (another) return { asked: `the one TTL index called ${name}`, got: `${names(found)}; "ns" says which` };
  if (part.on !== undefined && !lateness.members.includes(part.on))
    return { asked: `when documents were gone from ${part.on}`, got: 'it holds no data' };
  const summary = lateness.summary(known, part.on);
  const document = encodeDocument(summary);
  if (matches(part.lateness, document, filling)) return undefined;
  return {
    asked: `lateness of ${known.ns} ${known.index}${part.on === undefined ? '' : ` on ${part.on}`}: ${showTemplate(part.lateness, filling)}`,
    got: `${explainMismatch(part.lateness, document, filling)}; ${latenessText(summary)}`,
  };
}

function whatThereIs(wanted: string, indexes: readonly KnownIndex[]): string {
  if (indexes.length === 0) return 'no member knows a TTL index';
  const hint = didYouMean(
    wanted,
    indexes.map(({ index }) => index),
  );
  return `there is ${names(indexes)}${hint === undefined ? '' : `; ${hint}`}`;
}

function names(indexes: readonly KnownIndex[]): string {
  return indexes.map(({ ns, index }) => `${index} on ${ns}`).join(', ');
}
