/** Small components for all views. */
import type { ComponentChildren } from 'preact'
import { state } from '../model/store.ts'
import type { ConsoleApp } from '../model/wire.ts'

/** A view with its heading, description and actions. */
export function View(props: {
  readonly title: string
  readonly about: ComponentChildren
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}) {
  return (
    <>
      <header class="view-head">
        <div>
          <h1 tabIndex={-1}>{props.title}</h1>
          <p class="about">{props.about}</p>
        </div>
        {props.actions === undefined ? null : <div class="actions">{props.actions}</div>}
      </header>
      {props.children}
    </>
  )
}

/** The placeholder of an empty list, with a hint how to fill it. */
export function Empty({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      <p>{children}</p>
    </div>
  )
}

/** A command to type in a terminal. */
export function Command({ children }: { readonly children: string }) {
  return (
    <>
      <code>brokerwire {children}</code> in a second terminal, after you pasted the lines there that{' '}
      <code>simulate</code> printed. In a clone of the repository, replace <code>brokerwire</code> with the
      command that started the simulator.
    </>
  )
}

/** A status with its color. */
export function Badge({ of }: { readonly of: string }) {
  return <span class={`badge s-${of.toLowerCase()}`}>{of}</span>
}

/** A name with its value. */
export function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** A select element with its label. */
export function Choice(props: {
  readonly label: string
  readonly value: string
  readonly options: readonly (string | readonly [value: string, text: string])[]
  readonly onChange: (value: string) => void
}) {
  return (
    <label class="field">
      <span>{props.label}</span>
      <select value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
        {props.options.map((option) => {
          const [value, text] = typeof option === 'string' ? [option, option] : option
          return (
            <option key={value} value={value}>
              {text}
            </option>
          )
        })}
      </select>
    </label>
  )
}

/** A select element for the app; empty if there is only one app. */
export function AppChoice(props: {
  readonly app: ConsoleApp | undefined
  readonly onChange: (name: string) => void
}) {
  const { app, onChange } = props
  const { apps = [] } = state.value ?? {}
  if (apps.length < 2) return null
  return (
    <Choice label="App" value={app?.name ?? ''} options={apps.map(({ name }) => name)} onChange={onChange} />
  )
}

/** The heading of the details next to a list, with a button to close them. */
export function OpenedHeading(props: { readonly onClose: () => void; readonly children: ComponentChildren }) {
  return (
    <h2>
      {props.children}
      <button type="button" class="quiet" onClick={props.onClose}>
        Close
      </button>
    </h2>
  )
}

/** A text input with its label. */
export function Line(props: {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly type?: 'text' | 'number' | 'password' | 'search'
  readonly placeholder?: string
}) {
  return (
    <label class="field">
      <span>{props.label}</span>
      <input
        type={(props.type ?? 'text') as 'text'}
        value={props.value}
        placeholder={props.placeholder ?? ''}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
    </label>
  )
}

/** A text area with its label. */
export function Area(props: {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly rows?: number
  readonly placeholder?: string
}) {
  return (
    <label class="field wide">
      <span>{props.label}</span>
      <textarea
        rows={props.rows ?? 4}
        value={props.value}
        placeholder={props.placeholder ?? ''}
        spellcheck={false}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
    </label>
  )
}

/** A long text in a box that scrolls. It can be focused, so that the keyboard scrolls it. */
export function Text({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    <section class="text" tabIndex={0} aria-label={label}>
      <pre>{children}</pre>
    </section>
  )
}
