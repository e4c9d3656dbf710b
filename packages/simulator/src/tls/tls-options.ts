/** Options of TLS servers. */

/** Key and certificate in PEM format. */
export interface TlsOptions {
  /** Private key in PEM, without a passphrase. */
  readonly key: string
  /** Certificate of the key, in PEM. */
  readonly cert: string
}
