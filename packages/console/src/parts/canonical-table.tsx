/** A canonical string as a table, with the entries in signed order. */

export interface CanonicalTableProps {
  readonly path: string | undefined
  readonly entries: readonly { readonly name: string; readonly source: string; readonly text: string }[]
  readonly digest: string | undefined
}

export function CanonicalTable({ path, entries, digest }: CanonicalTableProps) {
  return (
    <table class="canonical">
      <caption class="sr">The canonical string, entry by entry</caption>
      <thead>
        <tr>
          <th scope="col">source</th>
          <th scope="col">text</th>
        </tr>
      </thead>
      <tbody>
        {path === undefined ? null : (
          <tr>
            <td>path</td>
            <td>
              <code>{path}</code>
            </td>
          </tr>
        )}
        {entries.map(({ name, source, text }) => (
          <tr key={name}>
            <td>{source}</td>
            <td>
              <code>{text}</code>
            </td>
          </tr>
        ))}
        <tr>
          <td>digest of the body</td>
          <td>{digest === undefined || digest === '' ? 'none (no body)' : <code>{digest}</code>}</td>
        </tr>
      </tbody>
    </table>
  )
}
