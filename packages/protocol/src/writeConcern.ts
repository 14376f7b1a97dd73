/** What `w` may be: a number of members, a mode's name, or members by tag. */
export type WriteConcernW = number | string | Readonly<Record<string, number>>;

/** Where a write concern came from. Upstream: read_write_concern_provenance_base.idl. */
export type Provenance =
  | 'clientSupplied'
  | 'implicitDefault'
  | 'customDefault'
  | 'getLastErrorDefaults'
  | 'internalWriteDefault';
