/** Options of TLS servers. */

/** Key and certificate, PEM. */
export interface TlsOptions {
  readonly key: string
  readonly cert: string
}
