export { YamlView } from './YamlView';
