/** An IP address, or those that begin with the same bits. Upstream: cidr.h, CIDR. */
export interface AddressRange {
  /** As it was written. */
  readonly text: string;
  /** The bytes of the address, 4 or 16. */
  readonly bytes: readonly number[];
  /** How many bits have to be the same. */
  readonly bits: number;
}

/** Undefined for a text that is neither an address nor `ADDRESS/BITS`. */
export function parseRange(text: string): AddressRange | undefined {
  const [, address = '', digits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const bytes = addressBytes(address);
  if (!bytes) return undefined;
  const bits = digits === undefined ? bytes.length * 8 : Number(digits);
  return bits <= bytes.length * 8 ? { text, bytes, bits } : undefined;
}

/** An IPv4 address that comes in the form of an IPv6 one counts as what it is. */
export function isInRange(address: string, { bytes, bits }: AddressRange): boolean {
  const own = addressBytes(address.replace(/^::ffff:(?=\d+\.)/i, ''));
  if (own?.length !== bytes.length) return false;
  return own.every((byte, i) => {
    const counted = Math.min(8, Math.max(0, bits - i * 8));
    return byte >> (8 - counted) === bytes[i]! >> (8 - counted);
  });
}

function addressBytes(text: string): readonly number[] | undefined {
  return text.includes(':') ? ipv6Bytes(text) : ipv4Bytes(text);
}

function ipv4Bytes(text: string): readonly number[] | undefined {
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return undefined;
  const bytes = text.split('.').map(Number);
  return bytes.every((byte) => byte < 256) ? bytes : undefined;
}

function ipv6Bytes(text: string): readonly number[] | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map(groupBytes);
  if (!head || (halves.length === 2 && !tail)) return undefined;
  if (!tail) return head.length === 16 ? head : undefined;
  const missing = 16 - head.length - tail.length;
  return missing >= 2 ? [...head, ...Array.from({ length: missing }, () => 0), ...tail] : undefined;
}

/** Groups of four hexadecimal digits; the last may be an IPv4 address. */
function groupBytes(half: string): readonly number[] | undefined {
  const bytes: number[] = [];
  const groups = half === '' ? [] : half.split(':');
  for (const [i, group] of groups.entries()) {
    const last = i === groups.length - 1 ? ipv4Bytes(group) : undefined;
    if (last) bytes.push(...last);
    else if (/^[\da-f]{1,4}$/i.test(group))
      bytes.push(Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255);
    else return undefined;
  }
  return bytes;
}
