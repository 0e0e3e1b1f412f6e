/** The page: begins with this file. */
import { Frame } from './frame.tsx';
import { listenToKeys } from './keys.ts';
import { render } from './preact.ts';
import { openSession } from './session.ts';
import { followLinks } from './state.ts';

followLinks();
listenToKeys();
void openSession();
const root = document.getElementById('page');
if (root !== null) render(<Frame />, root);
