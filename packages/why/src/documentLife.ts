import { formatOpTime } from '@replsim/protocol';
import { holdUp } from './behind.ts';
import type { Change, CollectionHistory } from './collectionHistory.ts';
import { dateText } from './expiry.ts';
import type { Turn } from './logs.ts';
import { doesNotHave } from './losses/lossText.ts';
import type { MemberStory } from './memberStory.ts';
import type { Records } from './records.ts';
import { at, whyNotRunning } from './situation.ts';
import { stillThere } from './stillThere.ts';

/** Longer accounts hide what matters: of more changes the first and the last are told. */
const SHOWN_CHANGES = 12;

/**
 * A document's life on one member, in sentences with their instants; at the end why it is still there.
 * @param changes all that befell it, oldest first
 */
export function lifeOf(
  changes: readonly Change[],
  history: CollectionHistory,
  member: MemberStory,
  records: Records,
): string[] {
  const told = changes.map((change) => changeText(change, member, records));
  const shown =
    told.length <= SHOWN_CHANGES
      ? told
      : [told[0]!, `… ${told.length - SHOWN_CHANGES} changes …`, ...told.slice(1 - SHOWN_CHANGES)];
  return [...shown, ...outcome(changes, history, member, records)];
}

/** What is left of it on the member now. */
function outcome(
  changes: readonly Change[],
  history: CollectionHistory,
  member: MemberStory,
  records: Records,
): string[] {
  const { name, standaloneMicros } = member;
  const held = changes.findLast((change) => holds(change, member, records));
  const there = held && held.kind !== 'deleted' && held.kind !== 'dropped';
  const caution =
    standaloneMicros === undefined
      ? []
      : [`${name} ran as a standalone from ${at(standaloneMicros)}: what it did then is not in the oplog`];
  const down = whyNotRunning(member);
  const state = [...(down ? [down] : []), ...caution];
  if (!there) return [...state, `${name} does not have the document${held ? ' any more' : ''}`];
  const last = changes.at(-1);
  // The set has gone on, and what the member waits for is told with that.
  const isOld = last && last !== held && records.branches.survives(last.entry.opTime);
  return [
    ...state,
    `${name} ${isOld ? 'still ' : ''}has the document${isOld && last.kind === 'updated' ? ', in an older version' : ''}`,
    ...(isOld ? [] : stillThere(asItIs(held, changes), history, member, records)),
  ];
}

/** The change that says what the document is like: a renaming of its collection does not. */
function asItIs(held: Change, changes: readonly Change[]): Change {
  return changes.slice(0, changes.indexOf(held) + 1).findLast(({ kind }) => kind !== 'renamed') ?? held;
}

/** Whether a member has applied a change, and kept it. */
function holds({ entry: { opTime } }: Change, { name }: MemberStory, { logs }: Records): boolean {
  const last = logs.turnsOf(name, opTime).at(-1);
  return !!last?.has && (last.how !== 'fetched' || logs.appliedAt(name, opTime, last.atMicros) !== undefined);
}

function changeText(change: Change, member: MemberStory, records: Records): string {
  const { entry, batch } = change;
  const { situation, branches, losses } = records;
  const isLost = !branches.survives(entry.opTime);
  const loss = losses.lossOf({ opTime: entry.opTime, member: batch.member, atMicros: batch.atMicros });
  const lost = loss ? `; ${doesNotHave(loss, 'that')}` : '';
  const where = `in entry ${formatOpTime(entry.opTime, situation.epochSecs)}`;
  const what = `${happening(change)} on ${batch.member} at ${at(batch.atMicros)}${byWhom(change, records)}, ${where}`;
  return [what, ...fate(change, member, records, isLost)].join('; ') + lost;
}

function happening({ kind, to }: Change): string {
  if (kind === 'renamed') return `its collection was renamed to ${to}`;
  return kind === 'dropped' ? 'dropped with its collection' : kind;
}

function byWhom(change: Change, { situation: { epochMs }, writerOf }: Records): string {
  const { expired } = change.batch;
  if (change.kind === 'deleted' && expired) {
    const { index, expireAfterSeconds } = expired;
    const date = change.dueByMs === undefined ? '' : `, for its date of ${dateText(change.dueByMs, epochMs)}`;
    return ` by the TTL monitor (index ${index}, ${expireAfterSeconds} s)${date}`;
  }
  const writer = writerOf(change);
  return writer === undefined ? '' : ` for ${writer}`;
}

/** How a change came to the member, and whether it stayed. */
function fate({ entry, batch }: Change, member: MemberStory, records: Records, dead: boolean): string[] {
  const { logs, situation } = records;
  const { name } = member;
  const turns = logs.turnsOf(name, entry.opTime);
  const texts = turns
    .filter(({ how, has }) => !(has && how === 'wrote'))
    .map((turn) => turnText(turn, name, logs.appliedAt(name, entry.opTime, turn.atMicros)));
  const last = turns.at(-1);
  if (last?.has) {
    const waits = last.how === 'fetched' && logs.appliedAt(name, entry.opTime, last.atMicros) === undefined;
    return waits ? [...texts, `it has not applied that: ${holdUp(member, situation, entry.opTime)}`] : texts;
  }
  if (name === batch.member && turns.length === 0) return texts;
  if (dead) return turns.length > 0 ? texts : [`${name} never had that`];
  return [...texts, `${name} does not have that: ${holdUp(member, situation, entry.opTime)}`];
}

function turnText({ atMicros, how, source, has }: Turn, name: string, appliedMicros: number | undefined): string {
  const when = at(atMicros);
  if (!has) {
    if (how === 'rolledBack') return `${name} rolled that back at ${when}`;
    if (how === 'emptied') return `${name} dropped its data at ${when} for an initial sync`;
    const why =
      how === 'forgotten' ? 'its disk had not done all that it had reported done' : 'it was not on its disk yet';
    return `${name} came back without it at ${when}: ${why}`;
  }
  if (how === 'synced') return `${name} has that from its initial sync, done at ${when}`;
  if (how === 'started' || how === 'forgotten') return `${name} has had that since it started at ${when}`;
  const from = source === undefined ? '' : ` from ${source}`;
  if (appliedMicros === undefined) return `${name} fetched it${from} at ${when}`;
  if (at(appliedMicros) === when) return `${name} fetched it${from} and applied it at ${when}`;
  return `${name} fetched it${from} at ${when} and applied it at ${at(appliedMicros)}`;
}
