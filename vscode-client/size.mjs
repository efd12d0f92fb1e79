// Fails where the package has grown beyond what a plain client needs: something was bundled that should not be.
import { statSync } from "node:fs";
import process from "node:process";

const MOST = 300 * 1024;
const { size } = statSync("codecite.vsix");
if (size > MOST) {
    console.error(`codecite.vsix has ${size} bytes, more than ${MOST}; look at what is in it with "vsce ls".`);
    process.exit(1);
}
