/** How the servers show themselves over TLS. */

/** Key and certificate, PEM. */
export interface TlsOptions {
  readonly key: string
  readonly cert: string
}
