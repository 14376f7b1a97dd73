import type { RoleName, UserName } from '../names.ts';
import type { ScramMechanism } from '../scram/mechanisms.ts';
import type { HashSettings } from '../users/newCredentials.ts';
import type { StoredUser } from '../users/userDocument.ts';

/** Which of the two collections. */
export type AccessCollection = 'users' | 'roles';

/** `admin.system.users` and `admin.system.roles`, to be read. */
export interface AccessDocuments {
  user(name: UserName): StoredUser | undefined;
  role(name: RoleName): Uint8Array | undefined;
  /** In the order in which they were made. */
  all(collection: AccessCollection): readonly Uint8Array[];
}

/** The same, to be changed. */
export interface AccessChanges extends AccessDocuments {
  insert(collection: AccessCollection, document: Uint8Array): void;
  /** @param document the whole of it, as it is to be */
  replace(collection: AccessCollection, name: string, db: string, document: Uint8Array): void;
  /** @returns whether there was one */
  delete(collection: AccessCollection, name: string, db: string): boolean;
  /** Nobody, on no member, ever sees a part of these changes. */
  together(change: () => void): void;
}

/** What new users are made with. */
export interface UserSettings extends HashSettings {
  readonly mechanisms: readonly ScramMechanism[];
  /** 16 bytes. */
  newId(): Uint8Array;
}
