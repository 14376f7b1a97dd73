import { type Needed, on, onDatabase } from '@replsim/access';
import { type ProfilingLevel, profileFilter } from '@replsim/operations';
import { bytesOf, fieldSet, numberOf, type Reply } from '@replsim/pipeline';
import { BsonType, CommandError, RawBson, readString } from '@replsim/protocol';
import { Double } from 'bson';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import type { ProcessServices } from '../member.ts';
import type { Asking } from '../needs.ts';
import { atOnce } from '../replies/atOnce.ts';

const fields = fieldSet('profile', 'slowms', 'sampleRate', 'filter');

/**
 * `{ profile: 0 | 1 | 2 | -1, slowms?, sampleRate?, filter?: FILTER | 'unset' }` → `{ was, slowms, sampleRate, filter? }`, the
 * settings before; -1 only shows them. The level and the filter are the database's, the others the process's.
 * Errors: BadValue 2 for another level or rate, FailedToParse 9 for another filter. Upstream: profile_common.cpp.
 */
export const profile: CommandDefinition = {
  name: 'profile',
  help: 'sets what the profiler keeps',
  auth: profileNeeds,
  api: 'none',
  kind: 'other',
  secondaries: 'always',
  maintenanceOk: false,
  run: atOnce(runProfile),
};

/** Just to look needs less. Upstream: profile_common.cpp, ProfileCmdBase::doCheckAuthorization. */
function profileNeeds({ args }: Asking): readonly Needed[] {
  const looks = args.number('profile') === -1 && !['slowms', 'sampleRate', 'filter'].some((name) => args.has(name));
  return looks ? on(`${args.db}.system.profile`, 'find') : onDatabase(args.db, 'enableProfiler');
}

function runProfile({ args, member }: CommandContext<ProcessServices>): Reply {
  args.allow(fields);
  const { settings } = member.profiler;
  const level = args.number('profile') ?? 0;
  const { level: was, filter } = settings.of(args.db);
  const before = { slowms: settings.slowMs, sampleRate: settings.sampleRate };
  if (level < -1 || level > 2) throw new CommandError('BadValue', 'a profiling level has to be 0, 1 or 2');
  const { slowMs, sampleRate } = thresholds(args);
  const nextFilter = filterIn(args, filter);
  settings.slowMs = slowMs ?? settings.slowMs;
  settings.sampleRate = sampleRate ?? settings.sampleRate;
  if (level >= 0) settings.set(args.db, { level: level as ProfilingLevel, filter: nextFilter });
  if (level > 0) member.profiler.prepare(args.db);
  if (level >= 0) {
    const to = { level, slowms: settings.slowMs, sampleRate: settings.sampleRate };
    const from = { level: was, ...before };
    member.log('I', 'COMMAND', 48742, 'Profiler settings changed', { from, to, db: args.db });
  }
  return {
    was,
    slowms: before.slowms,
    sampleRate: new Double(before.sampleRate),
    ...(filter && { filter: new RawBson(filter.bytes), note: FILTER_NOTE }),
  };
}

const FILTER_NOTE =
  'With a filter, it alone picks what is profiled and logged, and slowms and sampleRate do not count.';

function thresholds(args: CommandContext['args']): { slowMs: number | undefined; sampleRate: number | undefined } {
  const slowMs = args.number('slowms');
  const sent = args.numeric('sampleRate');
  const sampleRate = sent && numberOf(sent);
  if (sampleRate !== undefined && !(sampleRate >= 0 && sampleRate <= 1)) {
    throw new CommandError('BadValue', "'sampleRate' has to be a number from 0.0 to 1.0");
  }
  return { slowMs, sampleRate };
}

function filterIn<T>(
  args: CommandContext['args'],
  before: T | undefined,
): ReturnType<typeof profileFilter> | T | undefined {
  const value = args.value('filter');
  if (!value) return before;
  if (value.type === BsonType.object) return profileFilter(bytesOf(value));
  if (value.type === BsonType.string && readString(value) === 'unset') return undefined;
  throw new CommandError('FailedToParse', "'filter' has to be an object or 'unset'");
}
