import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import type { Doc, LoneMember } from '../loneMember.ts';

const HASHES = { 'SCRAM-SHA-256': 'sha256', 'SCRAM-SHA-1': 'sha1' } as const;

interface Login {
  readonly user: string;
  readonly pwd: string;
  readonly db?: string;
  readonly mechanism?: keyof typeof HASHES;
  /** The first message goes with a hello. */
  readonly speculative?: boolean;
}

/** Logs in on a connection as a driver does, with hashes of Node's own. @returns the last reply */
export function logIn(member: LoneMember, connection: number, login: Login): Doc {
  const { user, db = 'admin', mechanism = 'SCRAM-SHA-256', speculative } = login;
  const bare = `n=${user},r=clientNonce`;
  const start = { saslStart: 1, mechanism, payload: base64(`n,,${bare}`), options: { skipEmptyExchange: true } };
  const first = speculative
    ? (member.runOn(connection, { hello: 1, speculativeAuthenticate: { ...start, db } }).speculativeAuthenticate as Doc)
    : member.runOn(connection, start, db);
  if (!first?.payload) return first;
  const challenge = Buffer.from(String(first.payload), 'base64').toString();
  const proof = proofOf(login, bare, challenge);
  return member.runOn(connection, { saslContinue: 1, conversationId: 1, payload: base64(proof) }, db);
}

function proofOf({ user, pwd, mechanism = 'SCRAM-SHA-256' }: Login, bare: string, challenge: string): string {
  const hash = HASHES[mechanism];
  const [, nonce, salt, rounds] = /^r=([^,]*),s=([^,]*),i=(\d+)$/.exec(challenge)!;
  const secret = hash === 'sha1' ? createHash('md5').update(`${user}:mongo:${pwd}`).digest('hex') : pwd;
  const length = hash === 'sha1' ? 20 : 32;
  const salted = pbkdf2Sync(secret, Buffer.from(salt!, 'base64'), Number(rounds), length, hash);
  const clientKey = createHmac(hash, salted).update('Client Key').digest();
  const storedKey = createHash(hash).update(clientKey).digest();
  const final = `c=biws,r=${nonce}`;
  const signature = createHmac(hash, storedKey).update(`${bare},${challenge},${final}`).digest();
  const proof = Buffer.from(clientKey.map((byte, i) => byte ^ signature[i]!));
  return `${final},p=${proof.toString('base64')}`;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
