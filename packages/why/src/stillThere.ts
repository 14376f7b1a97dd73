import { decodePromoted } from '@replsim/protocol';
import type { Change, CollectionHistory } from './collectionHistory.ts';
import { dateText, dueText, leftAlone, nobodyDeletes, whyGone, whyNotExpired } from './expiry.ts';
import type { MemberStory } from './memberStory.ts';
import type { Records } from './records.ts';
import { aheadOf, at } from './situation.ts';
import type { TtlIndex } from './ttlIndexes.ts';
import { compiled, dateAt } from './undue.ts';

/** So many passes are told one by one. */
const SHOWN_PASSES = 5;

/** What an index makes of a document. */
interface Verdict {
  readonly text: string;
  /** Since when it may be taken; undefined where it may not. Unit: µs. */
  readonly dueMicros?: number;
}

/** Why a document that is there has not gone by TTL; nothing where no TTL index is known. */
export function stillThere(
  held: Change,
  { indexes, gone }: CollectionHistory,
  member: MemberStory,
  records: Records,
): string[] {
  const missing = gone.map(whyGone);
  if (indexes.length === 0) return missing;
  const bytes = held.document;
  if (!bytes) return [...missing, 'its entries do not say what it is like now'];
  const { primary } = records;
  const verdicts = indexes.map((index) => judged(bytes, index, held, records));
  const texts = [...missing, ...verdicts.map(({ text }) => text)];
  const due = verdicts.flatMap(({ dueMicros }) => dueMicros ?? []);
  if (due.length === 0) return texts;
  const waits = `${member.name} deletes nothing by itself: it waits for a primary's delete`;
  const { situation } = records;
  const monitor = primary ? whyNotExpired(primary, situation) : nobodyDeletes(situation);
  return [...texts, ...passesThatLeft(Math.min(...due), records), ...(primary === member ? [] : [waits]), monitor];
}

function judged(bytes: Uint8Array, index: TtlIndex, held: Change, { situation, primary, compile }: Records): Verdict {
  const { name, path, expireAfterSeconds, unfit, madeMicros } = index;
  if (unfit !== undefined) return { text: leftAlone(name, unfit) };
  const within = compiled(index, compile)?.(bytes);
  if (within === false)
    return { text: `it does not match the filter of the index ${name}, so that index never deletes it` };
  const dateMs = dateAt(decodePromoted(bytes), path);
  if (dateMs === undefined) return { text: `it has no date in \`${path}\`, so the index ${name} never deletes it` };
  if (name === '_id_' && dateMs < 0)
    return { text: 'its `_id` is a date before 1970, which clustered collections keep' };
  const { epochMs } = situation;
  const dueMs = dateMs + expireAfterSeconds * 1000;
  const date = `its \`${path}\` is ${dateText(dateMs, epochMs)}, and the index ${name} expires it ${expireAfterSeconds} s later`;
  const aheadMs = primary ? aheadOf(primary, epochMs) : 0;
  const dueMicros = (dueMs - aheadMs - epochMs) * 1000;
  const when = dueText(dueMs, situation, primary);
  if (dueMicros > situation.nowMicros) return { text: `it is not due until ${when}: ${date}` };
  const filter = within === undefined ? ', if it matches the filter of that index' : '';
  return {
    text: `it has been due since ${when}${filter}: ${date}`,
    dueMicros: Math.max(dueMicros, madeMicros, held.batch.atMicros),
  };
}

/** The passes that have ended since something is due, and yet is there. */
function passesThatLeft(sinceMicros: number, { situation: { members } }: Records): string[] {
  const passes = [...members.values()].flatMap(({ name, passes: own }) =>
    own
      .filter(({ endedMicros, acceptsWrites }) => acceptsWrites && endedMicros >= sinceMicros)
      .map((pass) => ({ ...pass, name })),
  );
  if (passes.length === 0) return ['no pass of a primary has ended since then'];
  const newest = passes.sort((a, b) => a.endedMicros - b.endedMicros).slice(-SHOWN_PASSES);
  const older = passes.length - newest.length;
  const told = newest.map(({ name, beganMicros, endedMicros, error, deleted }) => {
    const what = `the pass of ${name} that ended at ${at(endedMicros)}`;
    if (error !== undefined) return `${what} was interrupted: ${error}`;
    if (beganMicros < sinceMicros) return `${what} had begun at ${at(beganMicros)}, before it was due`;
    return `${what} deleted ${deleted}, and left it`;
  });
  return older > 0 ? [`${older} earlier passes left it`, ...told] : told;
}
