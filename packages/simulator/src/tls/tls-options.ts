/** Options of TLS servers. */

/** Key and certificate, PEM. */
export interface TlsOptions {
  /** Private key in PEM, without a passphrase. */
  readonly key: string
  /** Certificate of the key, in PEM. */
  readonly cert: string
}
