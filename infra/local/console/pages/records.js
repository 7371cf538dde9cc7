// The records of a kind, and one of them.
import { html } from './htm.js';
import { Title } from './ui.js';

export default ({ route }) => html`<${Title}>${route.path.join(' ')}<//>`;
