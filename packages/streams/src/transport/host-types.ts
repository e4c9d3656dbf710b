/**
 * Structural types for values of `node:net` and `node:tls`. So programs compile without the types of Node. A type test proves that
 * Node's types are assignable.
 */

/** A connection: Node's `Duplex`, `Socket` and `TLSSocket` have these members. */
export interface DuplexLike {
  /** Whether the connection can be read. */
  readonly readable: boolean
  /** Whether the connection can be written. */
  readonly writable: boolean
  /** Adds a listener for an event. */
  on(event: string, listener: (...values: never[]) => void): unknown
  /** Closes the connection at once. */
  destroy(error?: Error): unknown
}

/** A PEM string or DER bytes. */
type Bytes = string | Uint8Array
/** One PEM string or buffer, or several. */
type Material = Bytes | readonly Bytes[]
/** One or several, each with an optional passphrase. */
type WithPassphrase<Name extends string> =
  | Bytes
  | readonly (Bytes | ({ readonly [Key in Name]: Bytes } & { readonly passphrase?: string | undefined }))[]

/** The options of `tls.connect` for a client. Node's `ConnectionOptions` are assignable. */
export interface TlsOptions {
  /** Certificate authorities to trust instead of Node's. */
  readonly ca?: Material | undefined
  /** The certificate of the client. */
  readonly cert?: Material | undefined
  /** The private key of the client. */
  readonly key?: WithPassphrase<'pem'> | undefined
  /** The certificate and key of the client as PKCS #12. */
  readonly pfx?: WithPassphrase<'buf'> | undefined
  /** The passphrase of `key` or `pfx`. */
  readonly passphrase?: string | undefined
  /** The server name for SNI and for the certificate check. @defaultValue the host of the address */
  readonly servername?: string | undefined
  /** Whether the certificate of the server is checked. Use `false` only in tests. @defaultValue true */
  readonly rejectUnauthorized?: boolean | undefined
  /** Checks the server's certificate, Node's `PeerCertificate`. A returned error rejects it. */
  readonly checkServerIdentity?:
    | { check(hostname: string, certificate: object): Error | undefined }['check']
    | undefined
  /** The lowest TLS version to accept. @defaultValue Node's */
  readonly minVersion?: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3' | undefined
  /** The highest TLS version to accept. @defaultValue Node's */
  readonly maxVersion?: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3' | undefined
  /** Cipher suites in the syntax of OpenSSL. @defaultValue Node's */
  readonly ciphers?: string | undefined
  /** Signature algorithms in the syntax of OpenSSL. @defaultValue Node's */
  readonly sigalgs?: string | undefined
  /** Curves of the key exchange in the syntax of OpenSSL. @defaultValue Node's */
  readonly ecdhCurve?: string | undefined
  /** Certificate revocation lists in PEM. @defaultValue none */
  readonly crl?: Material | undefined
}
