/** Entry of the page. It exchanges the token of the address for a session cookie, and then opens the feed. */
import { render } from 'preact'
import { App } from './app.tsx'
import { startFeed } from './model/feed.ts'
import { beginSession } from './model/session.ts'
import './style.css'

const root = document.getElementById('console')
if (root !== null) render(<App />, root)
await beginSession()
startFeed()
