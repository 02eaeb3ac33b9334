"""Questions in German, French, Spanish and Chinese, in other forms than what was said."""

from __future__ import annotations

import pytest

import steno

SAID = {
    "de": [
        ("Ich habe gestern ein rotes Fahrrad gekauft.", "Welche Farbe hat das Fahrrad?"),
        ("Der Server in Frankfurt wird sonntags gewartet.", "Wann wird der Server gewartet?"),
        ("Unsere Rechnungen verschickt die Buchhaltung.", "Wer verschickt die Rechnungen?"),
        ("Meine Schwester zieht im März nach Köln.", "Wohin zieht meine Schwester?"),
        ("Die Migration schlug wegen fehlender Rechte fehl.", "Warum schlug die Migration fehl?"),
    ],
    "fr": [
        ("J'ai acheté un vélo rouge hier.", "De quelle couleur est le vélo ?"),
        ("Le serveur de Lyon redémarre le dimanche.", "Quand redémarre le serveur ?"),
        ("La comptabilité envoie nos factures.", "Qui envoie les factures ?"),
        ("Ma sœur déménage à Nantes en mars.", "Où déménage ma sœur ?"),
        ("La migration a échoué faute de droits.", "Pourquoi la migration a-t-elle échoué ?"),
    ],
    "es": [
        ("Ayer compré una bicicleta roja.", "¿De qué color es la bicicleta?"),
        ("El servidor de Madrid se reinicia el domingo.", "¿Cuándo se reinicia el servidor?"),
        ("Contabilidad envía nuestras facturas.", "¿Quién envía las facturas?"),
        ("Mi hermana se muda a Sevilla en marzo.", "¿Adónde se muda mi hermana?"),
        ("La migración falló por falta de permisos.", "¿Por qué falló la migración?"),
    ],
    "zh": [
        ("我昨天买了一辆红色的自行车。", "自行车是什么颜色?"),
        ("法兰克福的服务器每周日维护。", "服务器什么时候维护?"),
        ("发票由财务部发送。", "谁发送发票?"),
        ("我妹妹三月搬到成都。", "我妹妹搬到哪里?"),
        ("迁移因为缺少权限而失败。", "迁移为什么失败?"),
    ],
}


@pytest.mark.parametrize("language", SAID)
def test_what_was_said_is_found_first_in_its_language(language: str) -> None:
    with steno.Session(wire="openai", window=32_000) as session:
        for pairs in SAID.values():
            session.add(*({"role": "user", "content": said} for said, _ in pairs))
        start = 5 * list(SAID).index(language)
        for at, (_, question) in enumerate(SAID[language]):
            assert session.recall(question).hits[0].position == start + at
