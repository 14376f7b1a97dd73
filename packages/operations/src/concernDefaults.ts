import {
  decodePromoted,
  encodeDocument,
  implicitDefaultWriteConcern,
  type ReplSetConfig,
  type VersionTraits,
  type WriteConcernW,
} from '@replsim/protocol';
import { type ReadView, StoredDocument } from '@replsim/storage';
import type { Timestamp as BsonTimestamp } from 'bson';
import type { ReadConcernLevel, ReadConcernRequest } from './concernRequests.ts';

/** Where the defaults for all members lie, replicated like any document. Upstream: kConfigSettingsNamespace. */
export const SETTINGS_NS = 'config.settings';
/** Upstream: kPersistedDocumentId. */
export const DEFAULTS_ID = 'ReadWriteConcernDefaults';

/** A default write concern as it is stored and shown. */
export interface DefaultWriteConcern {
  readonly w: WriteConcernW;
  readonly j?: boolean;
  readonly wtimeout: number;
}

/** What `setDefaultRWConcern` left. */
export interface StoredDefaults {
  readonly defaultReadConcern?: { readonly level: ReadConcernLevel };
  readonly defaultWriteConcern?: DefaultWriteConcern;
  readonly updateOpTime: BsonTimestamp;
  readonly updateWallClockTime: Date;
}

const IMPLICIT: ReadConcernRequest = { level: 'local' };
const ID_KEY = new StoredDocument(encodeDocument({ _id: DEFAULTS_ID })).idKey;

/** The stored document, BSON; undefined while nobody has set a default. */
function storedBytes(view: ReadView): StoredDocument | undefined {
  const settings = view.collection(SETTINGS_NS);
  const recordId = settings?.findById(ID_KEY);
  return recordId === undefined ? undefined : settings?.get(recordId);
}

/** Whether a cluster-wide write concern is set, which an arbiter may then join. Upstream: isCWWCSet. */
export function isClusterWideWriteConcernSet(view: ReadView): boolean {
  const stored = storedBytes(view);
  return stored !== undefined && decodePromoted(stored.bytes).defaultWriteConcern !== undefined;
}

/**
 * The defaults that this member applies: those that were set, else the implicit ones.
 * Upstream: read_write_concern_defaults.cpp.
 */
export class ConcernDefaults {
  readonly #view: () => ReadView;
  readonly #wallMs: () => number;
  readonly #traits: Pick<VersionTraits, 'implicitMajority'>;
  #document: StoredDocument | undefined;
  #stored: StoredDefaults | undefined;
  /** When this member took them over, ms since 1970. */
  #takenOverMs: number | undefined;

  /** @param wallMs this member's clock */
  constructor(view: () => ReadView, wallMs: () => number, traits: Pick<VersionTraits, 'implicitMajority'>) {
    this.#view = view;
    this.#wallMs = wallMs;
    this.#traits = traits;
  }

  /** What was set, or undefined; cheap to ask. */
  get stored(): StoredDefaults | undefined {
    this.#look();
    return this.#stored;
  }

  #look(): void {
    const document = storedBytes(this.#view());
    if (document === this.#document && this.#takenOverMs !== undefined) return;
    this.#document = document;
    this.#stored = document && (decodePromoted(document.bytes) as StoredDefaults);
    this.#takenOverMs = this.#wallMs();
  }

  /** When `stored` was first seen on this member, ms since 1970. */
  get takenOverMs(): number {
    this.#look();
    return this.#takenOverMs!;
  }

  /** The read concern of a command that has none. */
  get readConcern(): ReadConcernRequest {
    const custom = this.stored?.defaultReadConcern;
    return custom ? { level: custom.level, provenance: 'customDefault' } : IMPLICIT;
  }

  /** The write concern of a command that has none. Without a config nobody can be waited for. */
  writeConcern(config: ReplSetConfig | undefined): DefaultWriteConcern & { readonly isCustom: boolean } {
    const custom = this.stored?.defaultWriteConcern;
    if (custom) return { ...custom, isCustom: true };
    const w = config && this.#traits.implicitMajority ? implicitDefaultWriteConcern(config) : 1;
    return { w, wtimeout: 0, isCustom: false };
  }
}
