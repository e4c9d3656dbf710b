/** The first difference of two canonical strings, and its likely causes. */
import type { Comparison } from '@brokerwire/signer'

/** @param props.names - Names of the two sides. */
export function ComparisonText({
  found,
  names: [one, other],
}: {
  readonly found: Comparison
  readonly names: readonly [string, string]
}) {
  if (found.equal) return <p class="note good">{found.text}</p>
  const { part, name, byte, ours, theirs, causes } = found
  return (
    <div class="comparison" role="status">
      <p>
        First difference at byte {byte}, in the {part} {name === '' ? '' : <code>{name}</code>}
      </p>
      <dl class="facts">
        <dt>{one}</dt>
        <dd>
          <code>{ours ?? '(absent)'}</code>
        </dd>
        <dt>{other}</dt>
        <dd>
          <code>{theirs ?? '(absent)'}</code>
        </dd>
      </dl>
      <ul class="causes">
        {causes.map(({ cause, explanation }) => (
          <li key={cause}>
            <b>{cause}</b> {explanation}
          </li>
        ))}
      </ul>
    </div>
  )
}
