import { SYSTEM_USER } from '@replsim/access';
import { ErrorCodes, type ErrorReply, type MemberRequest } from '@replsim/protocol';
import type { Core } from '../core/core.ts';

/** Every member has this mechanism. */
const MECHANISM = 'SCRAM-SHA-256';

/**
 * Whether other members belong to the set: those that know one of this member's keys do. Who has none is let in only where nobody has to
 * log in. Upstream: internal_auth.cpp; what a request is refused with is that of `saslContinue`, or of the gate of commands.
 */
export class MemberKeys {
  readonly #core: Core;
  /** The channels of each other member whose connections have been logged as authenticated. */
  readonly #known = new Map<string, Set<string>>();

  constructor(core: Core) {
    this.#core = core;
  }

  /** What a request is answered with; undefined if it is to be carried out. */
  refusal({ from, channel, command, auth }: MemberRequest): ErrorReply | undefined {
    const { access, authorization = false } = this.#core.options;
    const own = access?.keys ?? [];
    if (auth === undefined) return authorization ? requiresAuthentication(command) : undefined;
    if (auth.keys.some((key) => own.includes(key))) return this.#accepted(from, channel);
    this.#refused(from, own);
    if (!auth.optional) return { ok: 0, code: ErrorCodes.AuthenticationFailed, errmsg: 'Authentication failed.' };
    return authorization ? requiresAuthentication(command) : undefined;
  }

  /** A mongod logs it for each connection; here that is each channel. */
  #accepted(from: string, channel: string): undefined {
    const known = this.#known.get(from) ?? new Set();
    if (known.has(channel)) return undefined;
    this.#known.set(from, known.add(channel));
    this.#core.log('I', 'ACCESS', 5286306, 'Successfully authenticated', {
      ...loginOf(from),
      result: 0,
      extraInfo: {},
    });
    return undefined;
  }

  #refused(from: string, own: readonly string[]): void {
    const reason =
      own.length === 0
        ? 'It is not possible to authenticate as the __system user on servers started without a --keyFile parameter'
        : 'SCRAM authentication failed, storedKey mismatch';
    const result = ErrorCodes.AuthenticationFailed;
    const attr = { ...loginOf(from), error: `AuthenticationFailed: ${reason}`, result, extraInfo: {} };
    this.#core.log('I', 'ACCESS', 5286307, 'Failed to authenticate', attr);
  }
}

function loginOf(client: string) {
  return { client, isSpeculative: true, isClusterMember: true, mechanism: MECHANISM, ...SYSTEM_USER };
}

function requiresAuthentication(command: MemberRequest['command']): ErrorReply {
  const [name] = Object.keys(command);
  return { ok: 0, code: ErrorCodes.Unauthorized, errmsg: `Command ${name} requires authentication` };
}
