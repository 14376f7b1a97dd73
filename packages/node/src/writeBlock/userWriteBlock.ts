import { CommandError, databaseOf, decodePromoted, encodeDocument, type VersionTraits } from '@replsim/protocol';
import { type ReadView, StoredDocument } from '@replsim/storage';

/** Where it lies that users may not write, replicated like any document. Upstream: kUserWritesCriticalSectionsNamespace. */
export const WRITE_BLOCK_NS = 'config.user_writes_critical_sections';
/** Of the document that is about all namespaces. Upstream: kGlobalUserWritesNamespace. */
export const GLOBAL_ID = '';

/** Databases that `setUserWriteBlockMode` spares. Upstream: NamespaceString::isOnInternalDb. */
const INTERNAL_DATABASES: ReadonlySet<string> = new Set(['admin', 'config', 'local']);
const ID_KEY = new StoredDocument(encodeDocument({ _id: GLOBAL_ID })).idKey;

/** Upstream: user_writes_critical_section_document.idl. */
export interface WriteBlockDocument {
  readonly blockUserWrites: boolean;
  readonly blockUserWritesReason?: string;
}

/**
 * Whether users may write. It is read from the data, so that a new primary, a restart and a rollback find what holds;
 * upstream keeps it in memory and up to date by an op observer. Users with the action bypassWriteBlockingMode
 * are not asked. Upstream: global_user_write_block_state.cpp, user_write_block_mode_op_observer.cpp.
 */
export class UserWriteBlock {
  readonly #view: () => ReadView;
  readonly #traits: VersionTraits;
  #stored: StoredDocument | undefined;
  #document: WriteBlockDocument | undefined;

  constructor(view: () => ReadView, traits: VersionTraits) {
    this.#view = view;
    this.#traits = traits;
  }

  /** What `setUserWriteBlockMode` left; undefined if nothing is blocked. */
  get document(): WriteBlockDocument | undefined {
    const collection = this.#view().collection(WRITE_BLOCK_NS);
    const recordId = collection?.findById(ID_KEY);
    const stored = recordId === undefined ? undefined : collection?.get(recordId);
    if (stored !== this.#stored) {
      this.#stored = stored;
      this.#document = stored && (decodePromoted(stored.bytes) as unknown as WriteBlockDocument);
    }
    return this.#document;
  }

  get isBlocking(): boolean {
    return this.document?.blockUserWrites === true;
  }

  /** Throws UserWritesBlocked 371 for a namespace that users may not write now. Asked only where writes are accepted. */
  check(ns: string): void {
    const { document } = this;
    if (document?.blockUserWrites !== true || isInternal(ns)) return;
    const reason = document.blockUserWritesReason ?? 'Unspecified';
    const because = this.#traits.userWriteBlockReasons ? `, reason: ${reason}` : '';
    throw new CommandError('UserWritesBlocked', `User writes blocked${because}`);
  }
}

/** Whether it is in a database that users may always write. */
export function isInternal(ns: string): boolean {
  return INTERNAL_DATABASES.has(databaseOf(ns));
}
