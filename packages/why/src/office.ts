import { compareOpTimes, formatOpTime, type OpTime } from '@replsim/protocol';
import { pending } from './deadlines.ts';
import { type MemberStory, nameOf } from './memberStory.ts';
import { at, grouped, type Situation, whyNotRunning, whySilent } from './situation.ts';
import { fetching, standingStill } from './standstill.ts';

/** Why a primary accepts no writes yet, or no more; undefined of one that accepts them, or leads nobody. */
export function whyNotWritable(story: MemberStory, situation: Situation): string | undefined {
  const { state, accepts, acceptedUntil, office } = story;
  if (state.is !== 'PRIMARY' || accepts) return undefined;
  const since = `it has been PRIMARY since ${at(state.sinceMicros)}`;
  if (acceptedUntil !== undefined && acceptedUntil >= state.sinceMicros)
    return `${since}, and has accepted no writes since ${at(acceptedUntil)}: it is trying to step down`;
  const what = `${since}, and accepts no writes yet`;
  if (office?.is === 'catchUp') return [`${what}: it catches up`, ...catchingUp(story, situation)].join('; ');
  if (office?.is === 'drain') return [`${what}: it applies what it has fetched`, ...draining(story)].join('; ');
  return what;
}

/** Who is PRIMARY and accepts no writes, and why. */
export function leader(situation: Situation): { readonly name: string; readonly text: string } | undefined {
  for (const story of situation.members.values()) {
    const why = whyNotRunning(story) === undefined ? whyNotWritable(story, situation) : undefined;
    if (why !== undefined) return { name: story.name, text: named(story, why) };
  }
  return undefined;
}

/** A sentence about a member that begins with `it is` or `it has`, with its name. */
export function named({ name }: MemberStory, text: string): string {
  return text.replace(/^it (is|has)\b/, `${name} $1`);
}

/** That nobody accepts writes, or who leads and does not. */
export function noPrimary(situation: Situation): string {
  return leader(situation)?.text ?? 'there is no primary';
}

/** Up to where, what is in the way, and until when it goes on with that. */
function catchingUp(story: MemberStory, situation: Situation): string[] {
  const { epochSecs } = situation;
  const ahead = whoIsAhead(story, situation);
  const pastMicros = pending(story, 'catchUp', situation)?.dueMicros;
  const end = pastMicros === undefined ? [] : [`it gives that up at ${at(pastMicros)}`];
  if (!ahead) return [...unheard(story, situation), ...end];
  const own = formatOpTime(ahead.own, epochSecs);
  const target = `it has applied up to ${own}, and ${ahead.names.join(', ')} up to ${formatOpTime(ahead.opTime, epochSecs)}`;
  const obstacle = standingStill(story) ?? fetching(story, situation);
  return [target, ...(obstacle === undefined ? [] : [obstacle]), ...end];
}

/** Before it knows how far the others are, it waits for a word of each; one whose process is gone is given up at once. */
function unheard({ name, config, heldSince }: MemberStory, situation: Situation): string[] {
  const waits = 'it waits until it has heard from every member since its election';
  const held = heldSince.get('heartbeats');
  if (held !== undefined) return [waits, `its part heartbeats has been held since ${at(held)}`];
  const silent = (config?.members ?? []).flatMap(({ host }) => {
    const other = nameOf(host);
    const why = other === name ? undefined : whySilent(name, other, situation);
    return why === undefined || situation.members.get(other)?.stopped ? [] : [[other, why] as const];
  });
  return [waits, ...grouped(silent)];
}

/** Catching up is over; the first entry of the term comes next. */
function draining(story: MemberStory): string[] {
  const { lockedSince, heldSince } = story;
  const apply = heldSince.get('apply');
  if (apply !== undefined) return [`its part apply has been held since ${at(apply)}`];
  if (lockedSince !== undefined) return [`it has been locked by fsync since ${at(lockedSince)}`];
  const journal = heldSince.get('journal');
  return journal === undefined ? [] : [`its part journal has been held since ${at(journal)}`];
}

/** Those of its config that run and have applied more than it, as far as the furthest. */
function whoIsAhead({ name, applied, config }: MemberStory, { members }: Situation) {
  if (!applied) return undefined;
  const others = (config?.members ?? []).flatMap(({ host }) => {
    const other = members.get(nameOf(host));
    return other?.applied && other.name !== name && !whyNotRunning(other)
      ? [other as { name: string; applied: OpTime }]
      : [];
  });
  const newest = others.reduce<OpTime>(
    (most, { applied }) => (compareOpTimes(applied, most) > 0 ? applied : most),
    applied,
  );
  const names = others.filter(({ applied: its }) => compareOpTimes(its, newest) === 0).map(({ name }) => name);
  return compareOpTimes(newest, applied) > 0 ? { own: applied, opTime: newest, names } : undefined;
}
