import { bytesOf, Fields } from '@replsim/pipeline';
import { CommandError } from '@replsim/protocol';
import { type AddressRange, isInRange, parseRange } from './addressRange.ts';

/** From where, and to which of the server's addresses, somebody may connect. Upstream: address_restriction.h. */
export interface Restriction {
  readonly clientSource?: readonly AddressRange[] | undefined;
  readonly serverAddress?: readonly AddressRange[] | undefined;
}

/** The two ends of a connection, without ports. */
export interface Ends {
  readonly client: string;
  readonly server: string;
}

const known = new Set(['clientSource', 'serverAddress']);

/**
 * Errors: BadValue 2 for a malformed address, or a document without any, IDLUnknownField 40415.
 * Upstream: address_restriction.idl.
 */
export function readRestrictions(fields: Fields, name: string): readonly Restriction[] {
  return (fields.array(name) ?? []).map((value, i) => {
    const restriction = new Fields(bytesOf(value), `${name}.${i}`);
    restriction.allow(known);
    const [clientSource, serverAddress] = [ranges(restriction, 'clientSource'), ranges(restriction, 'serverAddress')];
    if (!clientSource && !serverAddress) {
      throw new CommandError('BadValue', `${name}.${i} must have "clientSource", "serverAddress" or both`);
    }
    return { clientSource, serverAddress };
  });
}

function ranges(fields: Fields, name: string): readonly AddressRange[] | undefined {
  return fields.strings(name)?.map((text) => {
    const range = parseRange(text);
    if (range) return range;
    throw new CommandError('BadValue', `${fields.path}.${name}: "${text}" is neither an IP address nor a CIDR range`);
  });
}

/** Why a connection is refused: each list wants one of its documents to hold. Undefined where all is well. */
export function unmetRestriction(lists: Iterable<readonly Restriction[]>, ends: Ends): string | undefined {
  for (const list of lists) {
    const reasons = list.map((each) => unmet(each, ends));
    if (reasons.length > 0 && reasons.every((reason) => reason !== undefined)) return reasons.join('; ');
  }
  return undefined;
}

function unmet({ clientSource, serverAddress }: Restriction, { client, server }: Ends): string | undefined {
  return outside('clientSource', client, clientSource) ?? outside('serverAddress', server, serverAddress);
}

function outside(name: string, address: string, allowed: readonly AddressRange[] | undefined): string | undefined {
  if (!allowed || allowed.some((range) => isInRange(address, range))) return undefined;
  return `${address} does not fall within: ${JSON.stringify({ [name]: allowed.map(({ text }) => text) })}`;
}
