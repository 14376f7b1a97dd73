import saslprep from '@mongodb-js/saslprep';
import { CommandError } from '@replsim/protocol';

/**
 * A password in the form in which it is hashed, so that two ways to type it are one. ASCII stays as it is, and needs no tables.
 * Errors: BadValue 2 for characters that no password may have. Source: RFC 4013. Upstream: icu.cpp, icuSaslPrep.
 */
export function saslPrepared(password: string): string {
  if (/^[\x20-\x7e]*$/.test(password)) return password;
  try {
    return saslprep(password);
  } catch {
    throw new CommandError('BadValue', 'the password has a character that RFC 4013 (SASLprep) does not allow');
  }
}
