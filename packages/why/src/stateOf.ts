import { formatOpTime, isNullOpTime } from '@replsim/protocol';
import { holdUp } from './behind.ts';
import { type MemberStory, nameOf } from './memberStory.ts';
import { named, whyNotWritable } from './office.ts';
import { at, memberOf, type Situation, whoIsUnheard, whySilent } from './situation.ts';

/** Why a member that runs is in the state that it is in, in one sentence. */
export function stateOf(story: MemberStory, situation: Situation): string {
  const { name, state, initialSync, config } = story;
  if (story.standalone) return `${name} runs as a standalone, and has no state in any set`;
  if (initialSync) return syncing(story, situation);
  const since = `${name} has been ${state.is} since ${at(state.sinceMicros)}`;
  switch (state.is) {
    case 'STARTUP':
      return `${since}: it has no config, and nobody has told it of the set yet`;
    case 'STARTUP2':
      return `${since}: its initial sync has not begun; ${holdUp(story, situation)}`;
    case 'REMOVED': {
      if (!config) return since;
      const version = `config version ${config.version}`;
      return memberOf(config, name)
        ? `${since}: ${version} includes it, but it does not find itself there`
        : `${since}: ${version} does not include it`;
    }
    case 'ROLLBACK':
      return story.rollback
        ? `${since}: its oplog has diverged from that of ${story.rollback.is}, and it is undoing what that member does not have`
        : since;
    case 'RECOVERING':
      return `${since}: ${recovering(story, situation)}`;
    case 'PRIMARY':
      return named(story, whyNotWritable(story, situation) ?? since);
    default:
      return since;
  }
}

function syncing({ name, initialSync, config }: MemberStory, situation: Situation): string {
  if (!initialSync) return name;
  const { is: phase, detail, sinceMicros } = initialSync;
  const what = `${name} is in its initial sync${detail === undefined ? '' : `: ${detail}`}`;
  if (phase === 'failed') return `${what}; that failed at ${at(sinceMicros)}, and it tries again`;
  if (phase === 'started') return `${what}; ${copying(sinceMicros, name, config, situation)}`;
  if (phase === 'cloned') return `${what}; it had copied all data at ${at(sinceMicros)}`;
  return what;
}

/** Without anybody to copy from it stands there for long. */
function copying(sinceMicros: number, name: string, config: MemberStory['config'], situation: Situation): string {
  const others = (config?.members ?? []).filter(({ host, arbiterOnly }) => !arbiterOnly && nameOf(host) !== name);
  const names = others.map(({ host }) => nameOf(host));
  const alone = names.length > 0 && names.every((other) => whySilent(name, other, situation) !== undefined);
  const nobody = config && alone ? [`it can copy from nobody`, ...whoIsUnheard(name, config, situation)] : [];
  return [`that began at ${at(sinceMicros)}`, ...nobody].join('; ');
}

function recovering(story: MemberStory, situation: Situation): string {
  const { tooStale, state, applied } = story;
  const { epochSecs } = situation;
  if (tooStale) {
    const to = formatOpTime(tooStale.is, epochSecs);
    const is =
      tooStale.sinceMicros === state.sinceMicros
        ? 'is too stale'
        : `has been too stale since ${at(tooStale.sinceMicros)}`;
    return `it ${is}: its oplog ends at ${to}, and no member's oplog reaches back that far; it needs an initial sync, or a member with an older oplog`;
  }
  if (state.cause === 'maintenance') return 'it was put into maintenance mode';
  if (state.cause === 'unauthorized') return 'no member that lets it in is up';
  const to = applied && !isNullOpTime(applied) ? `, it has applied up to ${formatOpTime(applied, epochSecs)}` : '';
  return `its data are not consistent yet${to}; ${holdUp(story, situation)}`;
}
