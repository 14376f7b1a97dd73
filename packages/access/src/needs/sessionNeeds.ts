import {
  anySessionId,
  type CommandArguments,
  digestOf,
  Fields,
  isSessionOf,
  parseSessionId,
  type SessionId,
  sessionIdOf,
} from '@replsim/pipeline';
import { type Asker, type Needed, NOTHING, onCluster } from './needed.ts';

const NO_UUID = new Uint8Array(16);

/** What a command about sessions lists in its own field. */
export function sessionsListed(args: CommandArguments): readonly Uint8Array[] {
  return args.documents(args.name) ?? args.missing(args.name);
}

/** One's own, or with a `uid` that of somebody else. */
export function anySession(bytes: Uint8Array, path: string, { uid }: CommandArguments): SessionId {
  const saysWhose = new Fields(bytes, path).value('uid') !== undefined;
  return saysWhose ? anySessionId(bytes, path) : parseSessionId(bytes, path, uid);
}

/** Upstream: kill_sessions_command.cpp, KillSessionsCommand. */
export function killSessionsNeeds({ args }: Asker): readonly Needed[] {
  const sessions = sessionsListed(args).map((bytes, i) => anySession(bytes, `${args.name}.${i}`, args));
  return sessions.every(({ key }) => isSessionOf(key, args.uid)) ? NOTHING : onCluster('killAnySession');
}

/** Upstream: kill_all_sessions_by_pattern_command.cpp. */
export function patternNeeds({ args }: Asker): readonly Needed[] {
  const patterns = sessionsListed(args).map((bytes, i) => new Fields(bytes, `${args.name}.${i}`));
  const impersonates = patterns.some((pattern) => pattern.has('users') || pattern.has('roles'));
  const isOwn = (pattern: Fields): boolean => {
    const uid = pattern.value('uid');
    const lsid = pattern.document('lsid');
    if (uid) return isSessionOf(sessionIdOf(NO_UUID, digestOf(uid, 'uid')).key, args.uid);
    return lsid !== undefined && isSessionOf(anySession(lsid, `${pattern.path}.lsid`, args).key, args.uid);
  };
  const areOwn = patterns.length > 0 && patterns.every(isOwn);
  return [...(areOwn ? NOTHING : onCluster('killAnySession')), ...(impersonates ? onCluster('impersonate') : NOTHING)];
}
