import { decodePromoted, encodeDocument } from '@replsim/protocol';

/**
 * The `hello` that a client which is streamed to asks next without saying so: the same as before, from what it has just
 * been told; undefined if the reply ends the stream, as an error does.
 * @param command the `hello` that was answered, with `topologyVersion` and `maxAwaitTimeMS`
 */
export function nextAwaited(command: Uint8Array, reply: Uint8Array): Uint8Array | undefined {
  const { ok, topologyVersion } = decodePromoted(reply);
  if (ok !== 1 || topologyVersion === undefined) return undefined;
  const { processId, counter } = topologyVersion;
  const asked = decodePromoted(command);
  return encodeDocument({ ...asked, topologyVersion: { processId, counter: BigInt(counter) } });
}
