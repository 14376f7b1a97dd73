import { CommandError } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { base64Of, bytesOfBase64 } from '../../src/scram/bytes.ts';
import { ScramConversation } from '../../src/scram/conversation.ts';
import { fakeCredentials, scramCredentials, secretOf } from '../../src/scram/credentials.ts';
import type { ScramMechanism } from '../../src/scram/mechanisms.ts';

// What goes over the wire when "user" logs in with "pencil": the drivers' specification, and the same with salts and counts as a mongod makes them.

const range = (from: number, length: number) => Uint8Array.from({ length }, (_, i) => from + i);
const OWN_NONCE = base64Of(range(0x20, 24));

interface Vector {
  readonly name: string;
  readonly mechanism: ScramMechanism;
  readonly salt: Uint8Array;
  readonly iterations: number;
  readonly ownNonce: string;
  readonly messages: readonly [string, string, string, string];
}

const VECTORS: readonly Vector[] = [
  {
    name: 'the specification, SHA-256',
    mechanism: 'SCRAM-SHA-256',
    salt: bytesOfBase64('W22ZaJ0SNY7soEsUEjb6gQ=='),
    iterations: 4096,
    ownNonce: '%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0',
    messages: [
      'n,,n=user,r=rOprNGfwEbeRWgbNEkqO',
      'r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096',
      'c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=',
      'v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=',
    ],
  },
  {
    name: 'as a mongod, SHA-256',
    mechanism: 'SCRAM-SHA-256',
    salt: range(0, 28),
    iterations: 15_000,
    ownNonce: OWN_NONCE,
    messages: [
      'n,,n=user,r=rOprNGfwEbeRWgbNEkqO',
      'r=rOprNGfwEbeRWgbNEkqOICEiIyQlJicoKSorLC0uLzAxMjM0NTY3,s=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGw==,i=15000',
      'c=biws,r=rOprNGfwEbeRWgbNEkqOICEiIyQlJicoKSorLC0uLzAxMjM0NTY3,p=lXO9yvkIjq2vrgpAZefKo6LbbHpcUQN7FDG3vrWM/hY=',
      'v=v9xu76Kn0uWTnXtmdqw+62KUNJxp5NkIlwWXFZLwgcM=',
    ],
  },
  {
    name: 'the specification, SHA-1',
    mechanism: 'SCRAM-SHA-1',
    salt: bytesOfBase64('rQ9ZY3MntBeuP3E1TDVC4w=='),
    iterations: 10_000,
    ownNonce: 'Ho+Vgk7qvUOKUwuWLIWg4l/9SraGMHEE',
    messages: [
      'n,,n=user,r=fyko+d2lbbFgONRv9qkxdawL',
      'r=fyko+d2lbbFgONRv9qkxdawLHo+Vgk7qvUOKUwuWLIWg4l/9SraGMHEE,s=rQ9ZY3MntBeuP3E1TDVC4w==,i=10000',
      'c=biws,r=fyko+d2lbbFgONRv9qkxdawLHo+Vgk7qvUOKUwuWLIWg4l/9SraGMHEE,p=MC2T8BvbmWRckDw8oWl5IVghwCY=',
      'v=UMWeI25JD1yNYZRMpZ4VHvhZ9e0=',
    ],
  },
  {
    name: 'as a mongod, SHA-1',
    mechanism: 'SCRAM-SHA-1',
    salt: range(0, 16),
    iterations: 10_000,
    ownNonce: OWN_NONCE,
    messages: [
      'n,,n=user,r=fyko+d2lbbFgONRv9qkxdawL',
      'r=fyko+d2lbbFgONRv9qkxdawLICEiIyQlJicoKSorLC0uLzAxMjM0NTY3,s=AAECAwQFBgcICQoLDA0ODw==,i=10000',
      'c=biws,r=fyko+d2lbbFgONRv9qkxdawLICEiIyQlJicoKSorLC0uLzAxMjM0NTY3,p=E3lNEFN1QxYB9bW9tjwbEiDtuxs=',
      'v=Y9ipmdZTv9s9V2iWW5qkyS6ypxw=',
    ],
  },
];
const [SPECIFIED] = VECTORS as [Vector];

const credentialsOf = ({ mechanism, salt, iterations }: Vector, password = 'pencil') =>
  scramCredentials(mechanism, secretOf(mechanism, 'user', password), salt, iterations);

function conversationOf(vector: Vector, ...passwords: string[]): ScramConversation {
  const [first, ...others] = (passwords.length > 0 ? passwords : ['pencil']).map((each) => credentialsOf(vector, each));
  return new ScramConversation(vector.mechanism, vector.ownNonce, () => ({ credentials: [first!, ...others] }));
}

const errorOf = (run: () => unknown): CommandError => {
  try {
    run();
  } catch (error) {
    if (error instanceof CommandError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

test.for(VECTORS)('a login, byte for byte: $name', (vector) => {
  const conversation = conversationOf(vector);
  const [first, challenge, final, signature] = vector.messages;
  expect(conversation.answer(first)).toBe(challenge);
  expect(conversation).toMatchObject({ user: 'user', isProven: false, stepsDone: 1 });
  expect(conversation.answer(final)).toBe(signature);
  expect(conversation).toMatchObject({ isProven: true, stepsDone: 2 });
  expect(errorOf(() => conversation.answer(''))).toMatchObject({ code: 18 });
});

test('what a mongod would store', () => {
  const [, sha256, , sha1] = VECTORS.map((vector) => credentialsOf(vector));
  expect([sha256!.storedKey, sha256!.serverKey].map(base64Of)).toEqual([
    'nZbtY9VzVP9yYKIVwzBEMz4ZaM7isQFV5bLB3Gbk7qU=',
    'TUlTs98yxOG0rskHccVTbZOKJm4PWRjsAz7F1H6Rgyg=',
  ]);
  expect([sha1!.storedKey, sha1!.serverKey].map(base64Of)).toEqual([
    'zA4YK81qMkHG7YzinWOF3n9T9ec=',
    'DywqQj4B1Ch5MU2PjvT00Qu6EjU=',
  ]);
});

test('any of several passwords will do', () => {
  const conversation = conversationOf(SPECIFIED, 'another', 'pencil');
  conversation.answer(SPECIFIED.messages[0]);
  expect(conversation.answer(SPECIFIED.messages[2])).toBe(SPECIFIED.messages[3]);
});

const NONCES = `rOprNGfwEbeRWgbNEkqO${SPECIFIED.ownNonce}`;
test.for([
  [SPECIFIED.messages[2].replace('dHzb', 'dHzc'), 18, /storedKey mismatch/],
  [`c=biws,r=${NONCES},p=dHzbZapWIk4=`, 18, /storedKey mismatch/], // too short
  [`c=biws,r=${NONCES},p=!`, 18, /storedKey mismatch/],
  [SPECIFIED.messages[2].replace(NONCES, `${NONCES}x`), 2, /^Unmatched SCRAM nonce/],
] as const)('the final message %s gets %i', ([message, code, reason]) => {
  const conversation = conversationOf(SPECIFIED);
  conversation.answer(SPECIFIED.messages[0]);
  expect(errorOf(() => conversation.answer(message))).toMatchObject({ code, message: expect.stringMatching(reason) });
  expect(conversation.isProven).toBe(false);
});

test('the channel binding is not compared, and a field after the nonce is signed with the rest', () => {
  // Another binding has another proof, so that the comparison fails for the proof alone.
  const conversation = conversationOf(SPECIFIED);
  conversation.answer(SPECIFIED.messages[0]);
  const other = SPECIFIED.messages[2].replace('c=biws', 'c=eSws');
  expect(errorOf(() => conversation.answer(other))).toMatchObject({ code: 18 });
});

test('an unknown user is asked like another, always with the same salt, and fails for its own reason after the proof', () => {
  const secret = range(1, 32);
  const failure = new CommandError('UserNotFound', 'Could not find user "user" for db "admin"');
  const asked = (name: string) =>
    new ScramConversation('SCRAM-SHA-256', SPECIFIED.ownNonce, () => ({
      credentials: [fakeCredentials('SCRAM-SHA-256', name, secret, 15_000)],
      failure,
    }));
  const conversation = asked('user@admin');
  const challenge = conversation.answer(SPECIFIED.messages[0]);
  expect(challenge).toMatch(/^r=rOpr[^,]+,s=[\w+/]{38}==,i=15000$/);
  expect(asked('user@admin').answer(SPECIFIED.messages[0])).toBe(challenge);
  expect(asked('user@app').answer(SPECIFIED.messages[0])).not.toBe(challenge);
  expect(errorOf(() => conversation.answer(SPECIFIED.messages[2]))).toBe(failure);
});
