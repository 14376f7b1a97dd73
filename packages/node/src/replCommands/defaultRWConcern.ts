import { ANYWHERE, atOnce, type CommandContext, type CommandDefinition } from '@replsim/database';
import {
  DEFAULTS_ID,
  type DefaultWriteConcern,
  type Operation,
  parseReadConcern,
  parseWriteConcern,
  type ReadConcernLevel,
  SETTINGS_NS,
  spend,
} from '@replsim/operations';
import { maxTimestamp, quorumOf, type Unsatisfiable } from '@replsim/oplog';
import { Fields, fieldSet, type Reply } from '@replsim/pipeline';
import {
  CommandError,
  encodeDocument,
  type ReplSetConfig,
  toBsonTimestamp,
  type WriteConcernW,
} from '@replsim/protocol';
import { StoredDocument } from '@replsim/storage';
import { Timestamp } from 'bson';
import type { Replication } from '../replication/replication.ts';
import type { ReplCommandHost } from './replCommandHost.ts';

const setFields = fieldSet('setDefaultRWConcern', 'defaultReadConcern', 'defaultWriteConcern');
const getFields = fieldSet('getDefaultRWConcern', 'inMemory');
const UNSUITABLE_LEVELS: readonly ReadConcernLevel[] = ['linearizable', 'snapshot'];

/**
 * `{ setDefaultRWConcern: 1, defaultReadConcern?, defaultWriteConcern? }` and `{ getDefaultRWConcern: 1, inMemory? }`.
 * Errors: Location51300 on a standalone, BadValue 2 for what is no default, IllegalOperation 20 for unsetting a write concern,
 * UnknownReplWriteConcern 79. Upstream: rwc_defaults_commands.cpp.
 */
export function defaultsCommands(host: ReplCommandHost): readonly CommandDefinition[] {
  return [
    {
      name: 'setDefaultRWConcern',
      help: 'sets the default read and write concern',
      auth: { action: 'setDefaultRWConcern', resource: 'cluster' },
      api: 'none',
      secondaries: 'never',
      maintenanceOk: false,
      adminOnly: true,
      kind: 'write',
      run: (context) => setDefaults(host, context),
    },
    {
      name: 'getDefaultRWConcern',
      help: 'shows the default read and write concern',
      auth: { action: 'getDefaultRWConcern', resource: 'cluster' },
      api: 'none',
      ...ANYWHERE,
      adminOnly: true,
      run: atOnce(({ args }) => {
        args.allow(getFields);
        requireSet(host, 'getDefaultRWConcern');
        return { ...defaultsReply(host), ...(args.strictBool('inMemory') && { inMemory: true }) };
      }),
    },
  ];
}

function requireSet({ repl }: ReplCommandHost, name: string): Replication {
  if (repl) return repl;
  throw new CommandError(51300, `'${name}' is not supported on standalone nodes.`);
}

function* setDefaults(host: ReplCommandHost, { args }: CommandContext): Operation<Reply> {
  args.allow(setFields);
  const { topology } = requireSet(host, 'setDefaultRWConcern');
  const readConcern = args.document('defaultReadConcern');
  const writeConcern = args.document('defaultWriteConcern');
  if (!readConcern && !writeConcern) {
    throw new CommandError(
      'BadValue',
      'At least one of the "defaultReadConcern" or "defaultWriteConcern" fields must be present',
    );
  }
  const { defaults, core, writes } = host;
  const { stored } = defaults;
  const defaultReadConcern = readConcern ? readLevelOf(args, readConcern) : stored?.defaultReadConcern;
  const defaultWriteConcern = writeConcern
    ? writeConcernOf(args, writeConcern, topology.config, stored?.defaultWriteConcern !== undefined)
    : stored?.defaultWriteConcern;
  const clusterTime = maxTimestamp(core.clusterTime, host.oplog.last.ts);
  const document = new StoredDocument(
    encodeDocument({
      _id: DEFAULTS_ID,
      ...(defaultReadConcern && { defaultReadConcern }),
      ...(defaultWriteConcern && { defaultWriteConcern }),
      updateOpTime: toBsonTimestamp(clusterTime, Timestamp),
      updateWallClockTime: new Date(Math.floor(core.now.wallMs)),
    }),
  );
  yield* spend(core.costs.updateMicros + core.costs.commitMicros);
  const collection = core.engine.collection(SETTINGS_NS);
  const recordId = collection?.findById(document.idKey);
  if (!collection || recordId === undefined) writes.insert(SETTINGS_NS, [document]);
  else writes.update(collection, recordId, document, undefined);
  core.log('I', 'COMMAND', 20498, 'Set the defaults of read and write concern', { value: defaultsReply(host) });
  return defaultsReply(host);
}

/** Undefined for an empty one, which unsets the default. Upstream: checkSuitabilityAsDefault. */
function readLevelOf(args: Fields, given: Uint8Array): { readonly level: ReadConcernLevel } | undefined {
  const fields = new Fields(given, 'defaultReadConcern');
  if (fields.names[Symbol.iterator]().next().done) return undefined;
  const { level } = parseReadConcern(args, { level: 'local' }, 'defaultReadConcern');
  const unsuitable = ['afterOpTime', 'afterClusterTime', 'atClusterTime'].find((name) => fields.has(name));
  if (UNSUITABLE_LEVELS.includes(level)) {
    throw new CommandError('BadValue', `level: '${level}' is not suitable for the default read concern`);
  }
  if (unsuitable) {
    throw new CommandError('BadValue', `'${unsuitable}' is not suitable for the default read concern`);
  }
  refuseProvenance(fields, 'read');
  return { level };
}

function writeConcernOf(
  args: Fields,
  given: Uint8Array,
  config: ReplSetConfig | undefined,
  isSet: boolean,
): DefaultWriteConcern | undefined {
  const fields = new Fields(given, 'defaultWriteConcern');
  const request = parseWriteConcern(args, 'defaultWriteConcern');
  if (!request) {
    if (!isSet) return undefined;
    throw new CommandError('IllegalOperation', 'The global default write concern cannot be unset once it is set.');
  }
  const { w = 1, j, wtimeoutMS: wtimeout } = request;
  if (w === 0) {
    throw new CommandError('BadValue', 'Unacknowledged write concern is not suitable for the default write concern');
  }
  refuseProvenance(fields, 'write');
  refuseUnknownMode(config && quorumOf(config, w), w);
  return { w, ...(j !== undefined && { j }), wtimeout };
}

function refuseProvenance(fields: Fields, kind: 'read' | 'write'): void {
  if (!fields.has('provenance')) return;
  throw new CommandError('BadValue', `'provenance' must be unset in default ${kind} concern`);
}

/** A mode must exist; that enough members could fulfil it is nobody's business yet. */
function refuseUnknownMode(answer: object | undefined, w: WriteConcernW): void {
  if (!answer || !('code' in answer) || typeof w !== 'string') return;
  const { code, errmsg } = answer as Unsatisfiable;
  if (code === 'UnknownReplWriteConcern') throw new CommandError(code, errmsg);
}

/** As the command and `serverStatus` show them. */
export function defaultsReply({ defaults, repl }: ReplCommandHost): Reply {
  const { stored, takenOverMs } = defaults;
  const { isCustom, ...writeConcern } = defaults.writeConcern(repl?.topology.config);
  return {
    defaultReadConcern: { level: defaults.readConcern.level },
    // An implicit default of one member is not shown.
    ...((isCustom || writeConcern.w === 'majority') && { defaultWriteConcern: writeConcern }),
    ...(stored && { updateOpTime: stored.updateOpTime, updateWallClockTime: stored.updateWallClockTime }),
    defaultWriteConcernSource: isCustom ? 'global' : 'implicit',
    defaultReadConcernSource: stored?.defaultReadConcern ? 'global' : 'implicit',
    localUpdateWallClockTime: new Date(Math.floor(takenOverMs)),
  };
}
