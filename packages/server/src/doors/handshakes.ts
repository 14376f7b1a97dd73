import { decodePromoted, ErrorCodes } from '@replsim/protocol';

/** What a member refuses a client for that says too little of itself, or too much. */
const METADATA_CODES: readonly unknown[] = [
  ErrorCodes.ClientMetadataMissingField,
  ErrorCodes.ClientMetadataAppNameTooLarge,
  ErrorCodes.ClientMetadataDocumentTooLarge,
];

/**
 * Whether members let clients in. Who is refused for what its handshake says of it hears why, but drivers keep that to
 * themselves and try again: all that a test sees is that it takes too long.
 */
export class Handshakes {
  readonly #listeners: ((told: string) => void)[] = [];
  #hasRefused = false;

  /** Calls `listener` with the first refusal from now on, in words for whoever runs the client; no client is the last to be refused. */
  onRefused(listener: (told: string) => void): void {
    this.#listeners.push(listener);
  }

  /** @param reply what a member says to a client's first `hello` */
  answered(reply: Uint8Array): void {
    if (this.#hasRefused) return;
    const { ok, code, errmsg } = decodePromoted(reply);
    if (ok === 1 || !METADATA_CODES.includes(code)) return;
    this.#hasRefused = true;
    for (const listener of this.#listeners) listener(refusalText(code, String(errmsg)));
  }
}

function refusalText(code: unknown, errmsg: string): string {
  const refused = `a client's handshake is rejected, as by any mongod, so the client finds no server: ${errmsg}`;
  if (code !== ErrorCodes.ClientMetadataMissingField) return refused;
  return (
    `${refused}. Under jest the driver since 7.6 sends such a handshake, as it cannot import os there: ` +
    'run NODE_OPTIONS=--experimental-vm-modules npx jest, or make the client by ' +
    "new MongoClient(uri, { runtimeAdapters: { os: require('node:os') } })"
  );
}
