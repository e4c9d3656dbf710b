/** Which payloads are JSON. */

/**
 * Whether a content type is JSON's. An empty one says nothing and counts as JSON: only its documents know the exact
 * string, and the decoder is asked for an event.
 */
export function isJsonContentType(contentType: string): boolean {
  return contentType === 'application/json' || contentType === '' || /(^|[/+])json *(;|$)/i.test(contentType)
}
