"""Spanish phrases of manipulation."""

from domain.detect.families import Band, Family
from domain.detect.phrases import Pack, Phrase

_SENDER_MEANS_OWN_WORDS = (
    r"que (?:le|les|te|os|yo|nosotros|nos|envie|mande|escribi|di) |(?:de|en) (?:mi|mis|nuestro|nuestra|ayer)\b|"
    r"(?:sobre|de|en|del|para|acerca de|respecto a|relativas? a) (?:la |el |los |las |mi |nuestro |este |esta"
    r" )?(?:entrega|envio"
    r"|pedido|devolucion|direccion|factura|paquete|etiqueta|caja|manual|pago|reserva|aparato|maquina|producto"
    r"|repartidor|garantia|instalacion|montaje|reembolso|cita|cuenta)\b"
)

PACK = Pack(
    language="es",
    words={
        "ignore": (
            "ignora", "ignore", "ignoren", "ignorar", "ignorad", "olvida", "olvide", "olviden", "olvidar", "olvidate",
            "olvidese", "descarta", "descarte", "omite", "omita", "desobedece", "desobedezca", "no sigas", "no siga",
            "no hagas caso", "no haga caso", "haz caso omiso", "haga caso omiso", "no tengas en cuenta",
            "no tenga en cuenta", "no obedezcas", "no obedezca", "deja de seguir", "deje de seguir", "no respetes",
            "no respete", "anula", "anule", "sobrescribe", "sobrescriba", "elude", "eluda", "evita", "pasa por alto",
            "pase por alto", "prescinde", "prescinda", "salta", "saltate", "borra",
        ),
        "all": ("todo", "toda", "todos", "todas", "cualquier", "la totalidad", "el conjunto", "cada una"),
        "these": ("las", "los", "tus", "sus", "estas", "esas", "de las", "de los", "de tus", "de sus", "a las", "a tus",
                  "a sus", "la", "tu", "su", "de la", "de tu", "de su", "el", "del", "de todas", "de todas las", "a"
                  " todas"),
        "previous": (
            "anteriores", "anterior", "previas", "previa", "previos", "precedentes", "precedente", "iniciales",
            "inicial",
            "originales", "original", "existentes", "de arriba", "mas arriba", "recibidas", "recibidas antes",
            "dadas antes", "dadas anteriormente", "recibidas anteriormente", "actuales", "del sistema", "de sistema",
            "de tu desarrollador", "de tus desarrolladores", "por defecto", "programadas", "ocultas", "pasadas",
            "antiguas", "ya recibidas",
        ),
        "instructions": (
            "instruccion", "instrucciones", "indicacion", "indicaciones", "directriz", "directrices", "regla", "reglas",
            "orden", "ordenes", "prompt", "prompts", "prompt del sistema", "prompt de sistema", "mensaje del sistema",
            "mensaje de sistema", "comandos", "programacion", "consigna", "consignas", "directivas", "pautas", "normas",
        ),
        "machine": (
            "asistente", "ia", "i a", "bot", "chatbot", "robot", "modelo", "modelo de lenguaje", "agente",
            "inteligencia artificial", "maquina", "asistente virtual", "llm", "gpt",
        ),
        "unbound": ("sin restricciones", "sin reglas", "sin filtros", "sin limites", "sin censura", "ilimitad~",
        "libre de",
                    "dan", "hacker", "malvad~", "sin limitaciones", "liberad~"),
        "reveal": (
            "muestra", "muestre", "muestrame", "muestreme", "ensena", "ensename", "revela", "revele", "revelame",
            "dame",
            "deme", "da", "envia", "envie", "enviame", "envieme", "manda", "mande", "mandame", "repite", "repita",
            "lista",
            "liste", "divulga", "divulgue", "comparte", "comparta", "copia", "copie", "escribe", "escriba", "imprime",
            "imprima", "cita", "resume", "resuma", "traduce", "traduzca", "exporta", "exporte", "facilita", "facilite",
            "proporciona", "proporcione", "dime", "digame", "transmite", "reenvia", "reenvie", "indica", "pasame",
        ),
        "others": ("otros", "otras", "otro", "otra", "todos los demas", "todas las demas", "los demas", "las demas",
        "todos los", "todas las", "todos sus",
                   "todos tus", "sus otros", "tus otros", "demas"),
        "customers": ("cliente", "clientes", "clienta", "clientas", "usuario", "usuarios", "contactos", "personas",
                      "suscriptores", "compradores"),
        "data": (
            "datos", "direcciones", "direcciones de correo", "correos", "correos electronicos", "emails", "mensajes",
            "pedidos", "nombres", "telefonos", "numeros de telefono", "facturas", "informacion", "cuentas",
            "contrasenas",
            "datos personales", "datos bancarios", "datos de contacto",
        ),
        "secret": (
            "clave api", "claves api", "clave de api", "claves de api", "api key", "credenciales", "contrasenas",
            "contrasena", "tokens", "token de acceso", "tokens de acceso", "clave privada", "claves privadas",
            "clave secreta", "claves secretas", "variables de entorno", "secretos",
        ),
        "boss": (
            "desarrollador", "desarrolladora", "desarrolladores", "administrador", "administradora", "admin", "creador",
            "creadores", "propietario", "operador", "supervisor", "programador", "dueno", "administrador del sistema",
        ),
    },
    phrases=(
        Phrase("override.previous", Family.OVERRIDE, Band.STRONG, (
            "{ignore} [{all}] [{these}] [{all}] [{these}] {instructions} [que] [te|se] [le] [han] [dado] {previous}",
            "{ignore} [{all}] [{these}] [{all}] [{these}] {previous} {instructions}",
            "{ignore} (todas|todos|a todas|de todas) (tus|sus) {instructions}",
            "{ignore} [{all}] [{these}] (prompt del sistema|prompt de sistema|mensaje del sistema|mensaje de sistema"
            "|programacion)",
            "{ignore} [de] todo lo que (te|se te|se le|le) (han|ha|haya|hayan|dijeron|dijo|ensenaron|ordenaron|he)"
            " [dicho|ensenado|ordenado|indicado|programado] [antes|anteriormente|hasta ahora|previamente]",
            "{ignore} [{all}] [{these}] {instructions} que (has|ha|te han|le han|te) (recibido|dado|dieron) [antes"
            "|anteriormente|hasta ahora|previamente|mas arriba]",
            "{instructions} {previous} (deben|tienen que|han de) (ser ignoradas|ignorarse|olvidarse|ser olvidadas"
            "|descartarse)",
        ), softened_by=_SENDER_MEANS_OWN_WORDS),
        Phrase("override.vague", Family.OVERRIDE, Band.MEDIUM, (
            "{ignore} [a] [de] [todo] (lo anterior|lo de arriba|lo que esta arriba|lo escrito arriba|el texto anterior"
            "|el texto de arriba|el contexto anterior|lo que viene antes|lo que precede|lo dicho antes)",
            "{ignore} [a] [de] (todas las|todos los|cualquier) (instrucciones|indicaciones|directrices|reglas|ordenes)",
            "{ignore} [a] [de] (tus|sus) (reglas|instrucciones|directrices|normas|ordenes|pautas|programacion)",
            "{instructions} {previous} (quedan|estan|han sido|ya no son) (anuladas|revocadas|sin efecto|invalidas"
            "|validas|canceladas|sustituidas|obsoletas)",
            "(desactiva|desactive|elude|eluda|quita|elimina|elimine|salta) [{all}] [{these}] (filtros|restricciones"
            "|reglas de seguridad|filtros de seguridad|limitaciones|protecciones|salvaguardas)",
            "(tus|estas) {instructions} {previous} ya no (aplican|se aplican|cuentan|valen)",
        ), not_after=r"(?:direccion|numero|correo|e-?mail|mensaje|pedido|factura|archivo|importe|precio|fecha)\b"),
        Phrase("re_role.you_are_now", Family.RE_ROLE, Band.MEDIUM, (
            "(ahora|a partir de ahora|desde ahora|de ahora en adelante|en adelante) (eres|usted es|seras|actuas"
            "|actuaras"
            "|respondes|responderas|obedeces|obedeceras|debes obedecer|solo obedeces) [solo] [como] [a] [un|una|el|la"
            "|mi] *2 ({machine}|{unbound}|mi|mis ordenes|mis instrucciones|estas instrucciones)",
            "(eres|usted es) ahora *3 ({machine}|{unbound})",
            "(actua|actue|comportate|comportese|responde|finge ser|finge que eres|imagina que eres|haz de cuenta que"
            " eres) [como] [si] [fueras] [un|una|el|la] *2 ({machine}|{unbound})",
            "(entra|entre|cambia|cambie|pasa|pase) (en|a|al) modo [de] (desarrollador|administrador|admin|depuracion"
            "|mantenimiento|dan|dios)",
            "(activa|active) [el] modo [de] (desarrollador|administrador|admin|depuracion|mantenimiento|dan|dios)",
            "(tu|su) (nuevo|nueva) (rol|papel|tarea|mision|identidad|objetivo|instruccion) es",
            "(olvida|olvide) que (eres|es) [un|una] *1 {machine}",
            "(ya no eres|usted ya no es|no eres) [un|una] *2 {machine}",
            "(ya no tienes|ahora no tienes|no tienes) [ninguna|ningun] (reglas|regla|restricciones|restriccion|limites"
            "|limitaciones)",
        )),
        Phrase("re_role.header", Family.RE_ROLE, Band.MEDIUM, (
            r"(?:^|\n)[^\w\n]{0,12}(?:las |tus |sus |estas son (?:las |tus )?)?(?:nuevas?|verdaderas?|importantes)"
            r"[ -]{1,3}(?:instruccion(?:es)?|indicacion(?:es)?|directric?es|tareas?|ordenes|consignas?)[^\w\n]{0,6}:",
            r"(?:^|\n)[^\w\n]{0,12}(?:instrucciones|nuevas instrucciones|ordenes) (?:nuevas|del sistema|actualizadas)"
            r"[^\w\n]{0,6}:",
            r"(?:^|\n)[^\w\n]{0,12}(?:instruccion(?:es)?|mensaje|nota|tarea|orden) para (?:la |el |toda |todo "
            r"|cualquier )?(?:ia|asistente|bot|modelo|robot|asistente de ia|inteligencia artificial)[^\w\n]{0,6}:",
        ), raw=True),
        Phrase("authority.claim", Family.AUTHORITY, Band.WEAK, (
            "como tu {boss}",
            "(soy|habla|este es|aqui) tu {boss}",
            "soy (el|la|un|una) {boss} de (este bot|esta ia|este asistente|este modelo|este chatbot|este agente)",
            "(mensaje|nota|orden|instruccion) de (tu|tus|el equipo de) {boss}",
            "(estas|esta) autorizad~ por (tu|tus) {boss}",
            "(tu|tus) {boss} (ha|han|te ha|te han) *1 (autorizado|ordenado|aprobado|pedido)",
            "(tengo|con mis) *1 (acceso|permisos|privilegios) (root|de desarrollador|de superusuario) sobre (ti|esta ia"
            "|este asistente|este modelo)",
        )),
        Phrase("exfiltration.prompt", Family.EXFILTRATION, Band.MEDIUM, (
            "{reveal} *3 (tu|tus|su|sus|el|las|los) [texto completo de] [tu|tus|su|sus] (prompt del sistema|prompt de"
            " sistema|prompt|mensaje de sistema|mensaje del sistema|instrucciones del sistema|instrucciones iniciales"
            "|instrucciones"
            " internas|instrucciones ocultas|instrucciones secretas|instrucciones originales|directrices internas)",
            "(cual es|cuales son) (tu|tus|su|sus) (prompt del sistema|prompt de sistema|prompt|instrucciones del"
            " sistema"
            "|instrucciones iniciales|instrucciones internas|instrucciones secretas|instrucciones exactas|instrucciones"
            " originales)",
            "{reveal} *2 (todo lo anterior|todo el texto anterior|el texto de arriba|todo lo de arriba|las palabras"
            " de arriba|todo lo que esta arriba)",
        )),
        Phrase("exfiltration.others", Family.EXFILTRATION, Band.MEDIUM, (
            "{reveal} *4 {data} [personales] [de|sobre] {others} {customers}",
            "{reveal} *3 (la|una|tu|su) (lista|base) (de todos los|de los|de sus|de tus|de datos de|completa de) *1"
            " {customers}",
            "{reveal} *3 (lista de clientes|base de datos de clientes|base de clientes|fichero de clientes)",
            "que (ha|han|compro|pidio|pidieron|compraron) *1 (pedido|comprado|escrito) (otro|otros|los demas)"
            " {customers}",
        )),
        Phrase("exfiltration.secret", Family.EXFILTRATION, Band.MEDIUM, (
            "{reveal} *2 (todas|todos|las|los|todas las|todos los|la|el) [tus|sus] {secret} (internas|internos|del"
            " sistema|del servidor|guardadas|guardados|almacenadas|almacenados|de administrador|en memoria)",
            "{reveal} *2 (tus|todas tus|todos tus|todas sus|todos sus) {secret}",
            "(cual es|cuales son) (tu|tus) {secret}",
        )),
        Phrase("exfiltration.third_party", Family.EXFILTRATION, Band.MEDIUM, (
            r"\b(?:reenvia|reenvie|reenviar|envia|envie|manda|mande|transmite|redirige|copia)\b[^.!?\n]{0,50}\b"
            r"(?:esta (?:conversacion|correspondencia)|este hilo|este intercambio|(?:todos|todas) (?:los|las|tus|sus)"
            r" (?:correos"
            r"|e-?mails?|mensajes?|datos|archivos|adjuntos|contactos|informacion(?:es)?)|el historial|la bandeja de"
            r" entrada|datos de (?:los )?clientes|todo)\b[^!?\n]{0,60}(?:[\w.+-]{1,64}@[\w-]{1,63}\.[a-z]|https?://)",
        ), raw=True),
        Phrase("exfiltration.copy_to", Family.EXFILTRATION, Band.WEAK, (
            r"\b(?:reenvia|reenvie|reenviar|reenvien|envia|envie|envien|enviar|manda|mande|manden|copia)\b"
            r"[^.!?\n]{0,60}\ba\b[^.!?\n]{0,20}[\w.+-]{1,64}@[\w-]{1,63}\.[a-z]",
        ), raw=True, everyday=True),
        Phrase("exfiltration.secrecy", Family.EXFILTRATION, Band.WEAK, (
            "no (menciones|mencione|reveles|revele|digas|diga|divulgues|muestres) [nada|esto|esta|estas] *3 (al usuario"
            "|al cliente|al operador|al humano|en tu respuesta|en su respuesta|al equipo|esta instruccion"
            "|estas instrucciones|este mensaje)",
            "sin (informar|avisar|consultar|notificar|preguntar) (al usuario|al operador|al humano|al equipo|al"
            " revisor)",
            "(manten|mantenga|guarda|guarde) (esta instruccion|estas instrucciones|este mensaje|esta orden) (en secreto"
            "|oculta~|secreta~|oculto)",
            "(el usuario|el operador|el humano|el revisor) no debe (saber|ver|enterarse|notar) *1",
            "(oculta|oculte|esconde|esconda) (esta|estas|este) (instruccion~|orden~|mensaje)",
            "no (le|se lo|les) (digas|diga|cuentes) *2 (al usuario|al operador|a ningun humano|al equipo)",
        )),
        Phrase("exfiltration.steering", Family.EXFILTRATION, Band.WEAK, (
            "(anade|anada|inserta|inserte|incluye|incluya|pon|ponga|agrega|agregue) *4 (enlace|link|url|imagen|codigo"
            "|html|frase|texto) *4 (en|al final de) (tu|su|cada|tus|sus|la|todas las) (respuesta|respuestas|correo"
            "|mensajes)",
            "(termina|termine|empieza|empiece|comienza) (cada|tu|tus|su|todas tus) (respuesta|respuestas|mensaje) con",
            "(llama|llame|usa|use|ejecuta|ejecute|invoca) *2 (herramienta|funcion|api) *2 (con|para)",
            "(responde|responda) (solo|unicamente|solamente) (con|en) (si|json|la palabra|lo siguiente)",
            "(marca|marque|clasifica|clasifique) este (correo|mensaje|email) como (urgente|seguro|verificado|interno"
            "|fiable|no spam)",
            "(aprueba|apruebe|autoriza|autorice) (el|este) (reembolso|pago) *2 (sin revision|sin verificacion"
            "|automaticamente|sin comprobar)",
        )),
        Phrase("template_forgery.label", Family.TEMPLATE_FORGERY, Band.STRONG, (
            r"(?:^|\n)[ \t>]{0,8}(?:#{1,6}|={3,}|-{3,}|\*{2,}|`{3,}|<<<|\[{1,3})[ \t]{0,3}(?:inicio |fin )?(?:del |de"
            r" las |de la )?"
            r"(?:mensaje (?:del |de )?sistema|instruccion(?:es)? (?:del |de )?sistema|prompt (?:del |de )?sistema"
            r"|sistema)[ \t]{0,3}(?:[:\]>#=*`~-]|\n)",
            r"\[/?(?:mensaje del sistema|instruccion(?:es)? del sistema|prompt del sistema|sistema"
            r"|instruccion(?:es)?)\]",
            r"(?:^|\n)[ \t>]{0,8}(?:mensaje del sistema|instruccion(?:es)? del sistema|prompt del sistema)[ \t]{0,3}:",
            r"(?:^|\n)[ \t>]{0,8}[=\-#*<\[({]{2,}[ \t]{0,3}fin (?:del |de la |de )?(?:correo|e-?mail|mensaje|contexto"
            r"|entrada|documento|mensaje del cliente)[ \t]{0,3}[=\-#*>\])}]{2,}",
            r"(?:^|\n)[ \t>]{0,8}#{2,6}[ \t]{0,3}(?:instruccion|respuesta|entrada)[ \t]{0,2}:[ \t]{0,4}(?:\n|$)",
            r"</?(?:sistema|mensaje_sistema|instrucciones_sistema|instrucciones)>",
        ), raw=True),
    ),
    reporting=(
        "dice", "decia", "escribe", "escribio", "contiene", "contenia", "pide", "pedia", "afirma", "recibido", "recibi",
        "phishing", "estafa", "sospechoso", "sospechosa", "fraude", "con las palabras", "con la frase", "con el texto",
        "pone", "titulado",
    ),
)
