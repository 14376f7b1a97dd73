/** How a client's connection is secured, as the port of a member knows it from the handshake. */
export interface ConnectionPeer {
  /** `TLSv1.2`, `TLSv1.3`; absent on a connection without TLS. */
  readonly protocol?: string | undefined;
  readonly cipher?: string | undefined;
  /** Subject of a certificate that is valid, in the form of RFC 2253. */
  readonly subject?: string | undefined;
  /** Why there is no subject, where one was asked for. */
  readonly certificate?: 'missing' | 'invalid' | undefined;
}

/** Why a member's port ends a connection before anything was asked on it. */
export interface ConnectionRefusal {
  readonly code: number;
  readonly errmsg: string;
}
