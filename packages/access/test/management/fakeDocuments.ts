import { CommandArguments, type Reply } from '@replsim/pipeline';
import { CommandError, decodePromoted, encodeDocument } from '@replsim/protocol';
import type { AccessChanges, AccessCollection, UserSettings } from '../../src/management/accessDocuments.ts';
import { roleChanges } from '../../src/management/roles.ts';
import { rolesInfo } from '../../src/management/rolesInfo.ts';
import { userChanges } from '../../src/management/users.ts';
import { usersInfo } from '../../src/management/usersInfo.ts';
import type { RoleName, UserName } from '../../src/names.ts';
import { documentId, readUser } from '../../src/users/userDocument.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into replies without telling each type
export type Doc = Record<string, any>;

const changes = { ...userChanges, ...roleChanges };

/** Users and roles in memory, and the commands that change and show them. */
export class FakeDocuments implements AccessChanges {
  readonly #documents = { users: new Map<string, Uint8Array>(), roles: new Map<string, Uint8Array>() };
  readonly settings: UserSettings = {
    mechanisms: ['SCRAM-SHA-256', 'SCRAM-SHA-1'],
    serverSecret: new Uint8Array(32),
    iterations: () => 5000,
    newId: () => new Uint8Array(16).fill(this.#nextId++),
  };
  #nextId = 1;

  user({ user, db }: UserName) {
    const document = this.#documents.users.get(documentId(user, db));
    return document && readUser(document);
  }

  role({ role, db }: RoleName) {
    return this.#documents.roles.get(documentId(role, db));
  }

  all(collection: AccessCollection) {
    return [...this.#documents[collection].values()];
  }

  insert(collection: AccessCollection, document: Uint8Array): void {
    this.#documents[collection].set(decodePromoted(document)._id as string, document);
  }

  replace(collection: AccessCollection, name: string, db: string, document: Uint8Array): void {
    this.#documents[collection].set(documentId(name, db), document);
  }

  delete(collection: AccessCollection, name: string, db: string): boolean {
    return this.#documents[collection].delete(documentId(name, db));
  }

  together(change: () => void): void {
    change();
  }

  /** Every document of a collection, decoded. */
  stored(collection: AccessCollection): Doc[] {
    return this.all(collection).map((document) => decodePromoted(document));
  }

  /** A command's reply as a client reads it, or its error. */
  run(command: Doc, db = 'app'): Doc {
    const args = new CommandArguments(encodeDocument({ ...command, $db: db }));
    try {
      return decodePromoted(encodeDocument(this.#reply(args)));
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      return { code: error.code, errmsg: error.message };
    }
  }

  #reply(args: CommandArguments): Reply {
    if (args.name === 'rolesInfo') return rolesInfo(args, this);
    // The filter is for the server to compile: here it names a user.
    if (args.name === 'usersInfo') {
      return usersInfo(args, this, (filter) => (document) => {
        return decodePromoted(document).user === decodePromoted(filter).user;
      });
    }
    return changes[args.name as keyof typeof changes](args, this, this.settings);
  }
}
