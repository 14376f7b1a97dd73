import type { RoleName, UserName } from './names.ts';
import type { Privilege } from './privileges/privilege.ts';

/** Who is authenticated, and what the roles of now allow. Upstream: user.h, User. */
export interface AuthorizedUser {
  readonly name: UserName;
  /** 16 bytes: a user that is dropped and made again is another one. Empty for one that has none, as members have. */
  readonly userId: Uint8Array;
  /** Those granted, and those that they contain. */
  readonly roles: readonly RoleName[];
  /** Each resource once. */
  readonly privileges: readonly Privilege[];
}
