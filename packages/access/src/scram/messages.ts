import { CommandError } from '@replsim/protocol';

/** `n,,n=USER,r=NONCE` */
export interface ClientFirst {
  readonly user: string;
  readonly nonce: string;
  /** The message without its header, as it was sent: what is signed begins with it. */
  readonly bare: string;
}

/** `c=BINDING,r=NONCES,p=PROOF` */
export interface ClientFinal {
  readonly nonce: string;
  readonly proof: string;
  /** The message up to the proof, as it was sent. */
  readonly withoutProof: string;
}

const MIN_NONCE_LENGTH = 4;

/**
 * Errors: BadValue 2, which says what is wrong with the message.
 * Upstream: sasl_scram_server_conversation.cpp, _firstStep.
 */
export function parseClientFirst(message: string): ClientFirst {
  const [flag, authzid, bare] = headerOf(message);
  if (flag.startsWith('p=')) throw bad('Server does not support channel binding');
  if (flag !== 'y' && flag !== 'n') throw bad(`Incorrect SCRAM client message prefix: ${flag}`);
  if (authzid !== '' && !authzid.startsWith('a=')) throw bad(`Incorrect SCRAM authzid: ${authzid}`);
  if (bare.startsWith('m=')) throw bad('SCRAM mandatory extensions are not supported');
  const [named = '', nonced = ''] = bare.split(',').filter((field) => field !== '');
  if (!named.startsWith('n=') || named.length === 2) throw bad(`Invalid SCRAM user name: ${named}`);
  const user = decodedName(named.slice(2));
  if (authzid !== '' && decodedName(authzid.slice(2)) !== user) {
    throw bad(`SCRAM user name ${user} does not match authzid ${decodedName(authzid.slice(2))}`);
  }
  return { user, nonce: nonceIn(nonced), bare };
}

/** The two fields before the bare message, and that. */
function headerOf(message: string): [flag: string, authzid: string, bare: string] {
  const fields = message.split(',');
  if (fields.length < 3) {
    throw bad(`Incorrect number of arguments for first SCRAM client message, got ${fields.length} expected at least 3`);
  }
  const [flag, authzid, ...bare] = fields as [string, string, ...string[]];
  return [flag, authzid, bare.join(',')];
}

/** Errors: BadValue 2. Its binding is not looked at, as in a mongod. Upstream: the same file, _secondStep. */
export function parseClientFinal(message: string): ClientFinal {
  const end = message.lastIndexOf(',');
  const withoutProof = message.slice(0, Math.max(0, end));
  const [binding = '', nonced = ''] = withoutProof.split(',').filter((field) => field !== '');
  const proof = message.slice(end + 1);
  if (end < 0 || nonced === '') throw bad('Incorrect number of arguments for second SCRAM client message');
  if (!binding.startsWith('c=') || binding.length === 2) throw bad(`Incorrect SCRAM channel binding: ${binding}`);
  if (!proof.startsWith('p=') || proof.length === 2) throw bad(`Incorrect SCRAM ClientProof: ${proof}`);
  return { nonce: nonceIn(nonced), proof: proof.slice(2), withoutProof };
}

function nonceIn(field: string): string {
  if (!field.startsWith('r=') || field.length - 2 < MIN_NONCE_LENGTH) throw bad(`Invalid SCRAM client nonce: ${field}`);
  return field.slice(2);
}

function decodedName(text: string): string {
  return text.replaceAll('=2C', ',').replaceAll('=3D', '=');
}

function bad(message: string): CommandError {
  return new CommandError('BadValue', message);
}
